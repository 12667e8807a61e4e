"""What every API of the portal shares: tokens, throttles, problem details."""
