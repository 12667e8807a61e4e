"""What the machine does with a request: size, render, tell."""
