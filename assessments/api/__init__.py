"""The REST API of requests: programs do here what customers do on pages."""
