-- Turns of organisations in the worker, and work that is done in steps.

-- What is due is looked for in all organisations, and taken organisation by organisation.
create index outbox_due_of_org on outbox (org_id, attempt_at) where status = 'queued';
create index reminders_due_of_org on reminders (org_id, remind_at, id) where status = 'scheduled';
create index recurring_schedules_due_of_org on recurring_schedules (org_id, due_at) where due_at is not null;

-- How often the PDF of a mail could not be made: after two tries the mail leaves without it.
alter table outbox add column pdf_tries integer not null default 0;

-- The deletion of a customer with many jobs: it is done in steps, and finished by the worker. The row stays for a week
-- after the customer has gone.
create table customer_deletions (
  org_id      text not null references organisations on delete cascade,
  customer_id text not null,
  -- Jobs that are deleted, and those there were.
  done        integer not null default 0,
  total       integer not null,
  started_at  timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  -- When the worker may go on; later than now after a failure.
  due_at      timestamptz(3) default now(),
  primary key (org_id, customer_id),
  check ((due_at is null) = (finished_at is not null))
);
create index customer_deletions_due on customer_deletions (org_id, due_at) where due_at is not null;
create index customer_deletions_finished on customer_deletions (finished_at) where finished_at is not null;

-- What is left of a generation or a resync that is done in steps, by kind.
alter table recurring_schedules add column pending_work jsonb;
