"""Requests, their sizing, review and documents."""
