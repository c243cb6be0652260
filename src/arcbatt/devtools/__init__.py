"""For those who work on arcbatt: comparing, measuring, generating."""
