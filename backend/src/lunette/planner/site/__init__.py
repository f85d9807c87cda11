"""The difference between a site document and the appliance, as changes of the API."""
