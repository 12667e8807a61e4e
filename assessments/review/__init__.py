"""The engineers' desk inside the admin."""
