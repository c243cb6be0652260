"""What people get from `import arcbatt`: a run to look at, made of programs and tasks in any form."""
