"""Telling people and programs what happened to a request."""
