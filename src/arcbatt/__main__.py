"""`python -m arcbatt`."""

from arcbatt.cli.main import main

main()
