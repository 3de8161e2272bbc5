-- Next step, concurrently: what is asked for by the system it came from, and customers by when they changed. Among a million
-- each read all of them, which took two seconds. Records of no other system are not in the first kind of index.
create index concurrently customers_by_source on customers (org_id, external_source, sort_name, id)
  where external_source is not null;
create index concurrently services_by_source on services (org_id, external_source, sort_name, id)
  where external_source is not null;
create index concurrently inventory_by_source on inventory (org_id, external_source, sort_name, id)
  where external_source is not null;
create index concurrently tickets_by_source on tickets (org_id, external_source, created_at desc, id desc)
  where external_source is not null;
create index concurrently quotes_by_source on quotes (org_id, external_source, created_at desc, id desc)
  where external_source is not null;
create index concurrently invoices_by_source on invoices (org_id, external_source, created_at desc, id desc)
  where external_source is not null;
create index concurrently customers_by_change on customers (org_id, updated_at);
