"""Hours of random programs, hostile files, kills, full disks and interrupts; what is found becomes a test."""
