"""What people do with requests: every write of customers and staff."""
