"""What every primitive means, in plain Python over plain values. Everything else must agree with it."""
