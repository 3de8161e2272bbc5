-- Turns of organisations in the worker, and work that is done in steps.

-- What is due is looked for in all organisations, and taken organisation by organisation.
create index outbox_due_of_org on outbox (org_id, attempt_at) where status = 'queued';
create index reminders_due_of_org on reminders (org_id, remind_at, id) where status = 'scheduled';
create index recurring_schedules_due_of_org on recurring_schedules (org_id, due_at) where due_at is not null;

-- How often the PDF of a mail could not be made: after two tries the mail leaves without it.
alter table outbox add column pdf_tries integer not null default 0;
