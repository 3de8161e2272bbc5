-- Functional dependencies: an id determines its organisation. Without them the planner assumes independent columns,
-- underestimates the rows, and sorts them all instead of reading the newest from the index: with 46,000 jobs of 20
-- organisations, a page of those in one status took 5.4 ms, growing with every job; with these statistics it takes 0.6.
create statistics tickets_org_of_status (dependencies) on org_id, status_id from tickets;
create statistics tickets_org_of_technician (dependencies) on org_id, assigned_technician from tickets;
create statistics tickets_org_of_customer (dependencies) on org_id, customer_id from tickets;
create statistics tickets_org_of_station (dependencies) on org_id, station_id from tickets;
create statistics messages_org_of_ticket (dependencies) on org_id, ticket_id from messages;
create statistics inventory_org_of_category (dependencies) on org_id, category_id from inventory;
create statistics calendar_events_org_of_assignee (dependencies) on org_id, assigned_to_id from calendar_events;
create statistics quotes_org_of_customer (dependencies) on org_id, customer_id from quotes;
create statistics invoices_org_of_customer (dependencies) on org_id, customer_id from invoices;
create statistics payments_org_of_invoice (dependencies) on org_id, invoice_id from payments;
create statistics form_submissions_org_of_template (dependencies) on org_id, template_id from form_submissions;
create statistics recurring_occurrences_org_of_schedule (dependencies) on org_id, schedule_id from recurring_occurrences;

-- Statistics are empty until the next analyze of each table.
analyze tickets, messages, inventory, calendar_events, quotes, invoices, payments, form_submissions, recurring_occurrences;
