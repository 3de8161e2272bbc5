-- A step of an import is bounded by what it holds in memory, not by its rows alone. Rows that wait meanwhile count as empty.
alter table import_rows add column characters integer not null default 0;
alter table import_records add column characters integer not null default 0;
alter table imports
  add column characters integer not null default 0,
  -- How often the step that is next could not be taken.
  add column attempts integer not null default 0,
  -- When it was last begun to be judged: what others wrote since, it knows nothing of.
  add column judging_since timestamptz(3),
  -- Whether whoever had it judged may read customers, so that those who are there are called by their names.
  add column names_customers boolean not null default true;

-- Next step, concurrently: what is wrong with a record was looked for among all that is wrong.
create index concurrently import_problems_of_record on import_problems (org_id, import_id, position);
