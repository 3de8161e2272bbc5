-- What the books have already: records that were brought from another system, and invoices that a file held and that are void since.

alter table invoices add column booked_elsewhere boolean not null default false;
alter table payments add column booked_elsewhere boolean not null default false;
-- What was told with a file, as it was then: each with its id and number.
alter table exports add column withdrawn jsonb not null default '[]';

-- Next step, concurrently: whether a record was in a file, and which invoices are void, are asked for every file.
create index concurrently exported_records_by_record on exported_records (org_id, record_id, kind);
create index concurrently invoices_void on invoices (org_id, voided_at desc, id) where status = 'void';
