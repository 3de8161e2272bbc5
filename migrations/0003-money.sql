-- Quotes, invoices, payments, reminders, share links and outgoing mail.

alter table counters
  add column next_quote_number integer not null default 1,
  add column next_invoice_number integer not null default 1;

-- A number is taken in the transaction that uses it: a rollback leaves no gap, a deletion does. One that an earlier prefix
-- already produced (Q-1 and 0007, Q- and 10007) is skipped.
create function numbered(prefix text, number integer) returns text
  language sql immutable return prefix || lpad(number::text, greatest(4, length(number::text)), '0');
create function take_quote_number(organisation text) returns text language plpgsql volatile as $$
declare
  taken text;
begin
  loop
    update counters set next_quote_number = next_quote_number + 1 where org_id = organisation
      returning numbered((select quote_number_prefix from organisations where org_id = organisation), next_quote_number - 1)
      into taken;
    exit when not exists (select from quotes where org_id = organisation and quote_number = taken);
  end loop;
  return taken;
end $$;
create function take_invoice_number(organisation text) returns text language plpgsql volatile as $$
declare
  taken text;
begin
  loop
    update counters set next_invoice_number = next_invoice_number + 1 where org_id = organisation
      returning numbered((select invoice_number_prefix from organisations where org_id = organisation), next_invoice_number - 1)
      into taken;
    exit when not exists (select from invoices where org_id = organisation and invoice_number = taken);
  end loop;
  return taken;
end $$;

-- Customer and job are snapshots with their ids at that time; both may be deleted, a document stays.
create table quotes (
  org_id           text not null references organisations on delete cascade,
  id               text not null,
  quote_number     text not null,
  customer_id      text,
  ticket_id        text,
  customer_name    text,
  customer_email   text,
  title            text,
  line_items       json not null default '[]',
  discount         json,
  deposit          json,
  notes            text,
  terms            text,
  valid_until      timestamptz(3),
  status           text not null default 'draft' check (status in ('draft', 'sent', 'accepted', 'declined', 'invoiced')),
  accepted         boolean not null default false,
  accepted_at      timestamptz(3),
  accepted_by_name text,
  declined_at      timestamptz(3),
  decline_reason   text,
  sent_at          timestamptz(3),
  viewed_at        timestamptz(3),
  invoice_id       text,
  currency         text not null,
  subtotal         numeric(24, 4) not null default 0,
  discount_total   numeric(24, 4) not null default 0,
  net_total        numeric(24, 4) not null default 0,
  tax_total        numeric(24, 4) not null default 0,
  total            numeric(24, 4) not null default 0,
  taxes            json not null default '[]',
  deposit_amount   numeric(24, 4) not null default 0,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint quotes_number unique (org_id, quote_number),
  constraint quotes_accepted_is_dated check (accepted = (accepted_at is not null))
);
create index quotes_newest on quotes (org_id, created_at desc, id desc);
create index quotes_by_customer on quotes (org_id, customer_id, created_at desc, id desc);
create index quotes_by_ticket on quotes (org_id, ticket_id, created_at desc, id desc);
create index quotes_by_acceptance on quotes (org_id, accepted, created_at desc, id desc);
create index quotes_by_invoice on quotes (org_id, invoice_id) where invoice_id is not null;
create index quotes_by_change on quotes (org_id, updated_at);
create trigger bury after delete on quotes referencing old table as gone
  for each statement execute function bury('created_at');

-- The signature a customer gave on the shared page; the IP address only as a keyed hash, for comparison.
create table quote_answers (
  org_id       text not null,
  quote_id     text not null,
  signature    text,
  address_hash text not null,
  answered_at  timestamptz(3) not null default now(),
  primary key (org_id, quote_id),
  foreign key (org_id, quote_id) references quotes on delete cascade
);

create table invoices (
  org_id               text not null references organisations on delete cascade,
  id                   text not null,
  invoice_number       text not null,
  quote_id             text,
  customer_id          text,
  ticket_id            text,
  customer_name        text,
  customer_email       text,
  title                text,
  line_items           json not null default '[]',
  discount             json,
  deposit              json,
  notes                text,
  terms                text,
  payment_instructions text,
  issued_at            timestamptz(3) not null default now(),
  due_at               timestamptz(3) not null,
  status               text not null default 'draft' check (status in ('draft', 'sent', 'void')),
  sent_at              timestamptz(3),
  viewed_at            timestamptz(3),
  voided_at            timestamptz(3),
  currency             text not null,
  subtotal             numeric(24, 4) not null default 0,
  discount_total       numeric(24, 4) not null default 0,
  net_total            numeric(24, 4) not null default 0,
  tax_total            numeric(24, 4) not null default 0,
  total                numeric(24, 4) not null default 0,
  taxes                json not null default '[]',
  deposit_amount       numeric(24, 4) not null default 0,
  amount_paid          numeric(24, 4) not null default 0,
  -- Computed by settle(), which overwrites other values.
  balance              numeric(24, 4) not null default 0,
  paid                 boolean not null default false,
  deposit_paid         boolean not null default false,
  has_balance          boolean not null default false,
  paid_at              timestamptz(3),
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint invoices_number unique (org_id, invoice_number),
  constraint invoices_due_after_issue check (due_at >= issued_at)
);
create index invoices_newest on invoices (org_id, created_at desc, id desc);
create index invoices_by_customer on invoices (org_id, customer_id, created_at desc, id desc);
create index invoices_by_ticket on invoices (org_id, ticket_id, created_at desc, id desc);
create index invoices_by_payment on invoices (org_id, paid, created_at desc, id desc);
create index invoices_due on invoices (org_id, due_at) where status = 'sent' and has_balance;
create index invoices_by_change on invoices (org_id, updated_at);
create trigger bury after delete on invoices referencing old table as gone
  for each statement execute function bury('created_at');

-- Computes balance and flags from total, deposit, status and amount paid on every write, so that no code path forgets it.
create function settle() returns trigger language plpgsql as $$
begin
  new.balance := new.total - new.amount_paid;
  new.has_balance := new.balance > 0 and new.status <> 'void';
  new.deposit_paid := new.deposit_amount > 0 and new.amount_paid >= new.deposit_amount;
  new.paid := new.status <> 'void' and case when new.total > 0 then new.amount_paid >= new.total else new.status <> 'draft' end;
  new.paid_at := case when new.paid then coalesce(new.paid_at, now()) end;
  return new;
end $$;
create trigger settle before insert or update on invoices for each row execute function settle();

create table payments (
  org_id         text not null references organisations on delete cascade,
  id             text not null,
  invoice_id     text not null,
  amount         numeric(24, 4) not null check (amount <> 0),
  payment_method text not null default 'other',
  notes          text,
  paid_at        timestamptz(3) not null default now(),
  source         text not null default 'manual' check (source in ('manual', 'processor', 'accounting')),
  external_id    text,
  customer_id    text,
  ticket_id      text,
  created_at     timestamptz(3) not null default now(),
  updated_at     timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint payments_invoice_id_parent foreign key (org_id, invoice_id) references invoices on delete cascade
);
create index payments_newest on payments (org_id, created_at desc, id desc);
create index payments_by_invoice on payments (org_id, invoice_id, created_at desc, id desc);
create index payments_by_change on payments (org_id, updated_at);
create unique index payments_external_id_unique on payments (org_id, source, external_id) where external_id is not null;
create trigger bury after delete on payments referencing old table as gone
  for each statement execute function bury('created_at');

-- Adjusts the amount paid by the difference, which is exact under concurrent payments.
create function count_money() returns trigger language plpgsql as $$
declare
  moved record;
begin
  for moved in execute format(
    'select org_id, invoice_id as id, sum(amount) as amount from (%s) change group by 1, 2 having sum(amount) <> 0 order by 1, 2',
    case tg_op
      when 'INSERT' then 'select org_id, invoice_id, amount from added'
      when 'DELETE' then 'select org_id, invoice_id, -amount as amount from gone'
      else 'select org_id, invoice_id, amount from added union all select org_id, invoice_id, -amount from gone'
    end)
  loop
    update invoices set amount_paid = amount_paid + moved.amount, updated_at = now()
    where org_id = moved.org_id and id = moved.id;
  end loop;
  return null;
end $$;
create trigger money_came after insert on payments referencing new table as added
  for each statement execute function count_money();
create trigger money_changed after update on payments referencing old table as gone new table as added
  for each statement execute function count_money();
create trigger money_went after delete on payments referencing old table as gone
  for each statement execute function count_money();

create table reminders (
  org_id         text not null,
  id             text not null,
  invoice_id     text not null,
  remind_at      timestamptz(3) not null,
  message        text,
  to_address     text,
  status         text not null default 'scheduled' check (status in ('scheduled', 'sent', 'skipped', 'failed')),
  sent_at        timestamptz(3),
  failure_reason text,
  created_at     timestamptz(3) not null default now(),
  updated_at     timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint reminders_invoice_id_parent foreign key (org_id, invoice_id) references invoices on delete cascade
);
create index reminders_of_invoice on reminders (org_id, invoice_id, remind_at, id);
create index reminders_due on reminders (remind_at) where status = 'scheduled';
create trigger bury after delete on reminders referencing old table as gone
  for each statement execute function bury('remind_at', 'invoice_id');

-- A secret URL of a document. Looked up by its hash; the token is encrypted too, so that the shop can be shown it again.
create table share_links (
  org_id         text not null,
  id             text not null,
  quote_id       text,
  invoice_id     text,
  token_hash     bytea not null,
  sealed_token   text not null,
  expires_at     timestamptz(3),
  view_count     integer not null default 0,
  last_viewed_at timestamptz(3),
  created_at     timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint share_links_of_one check (num_nonnulls(quote_id, invoice_id) = 1),
  constraint share_links_one_for_quote unique (org_id, quote_id),
  constraint share_links_one_for_invoice unique (org_id, invoice_id),
  constraint share_links_quote_id_parent foreign key (org_id, quote_id) references quotes on delete cascade,
  constraint share_links_invoice_id_parent foreign key (org_id, invoice_id) references invoices on delete cascade
);
create index share_links_by_token on share_links (token_hash);

-- Mail to be sent by the worker, inserted in the transaction that causes it. The body contains the URL of a share link, so
-- it is encrypted.
create table outbox (
  org_id         text not null references organisations on delete cascade,
  id             text not null,
  quote_id       text,
  invoice_id     text,
  reminder_id    text,
  to_address     text not null,
  cc             text[] not null default '{}',
  reply_to       text,
  from_name      text not null,
  subject        text not null,
  sealed_body    text not null,
  attach_pdf     boolean not null default false,
  status         text not null default 'queued' check (status in ('queued', 'sent', 'failed')),
  attempts       integer not null default 0,
  attempt_at     timestamptz(3) default now(),
  tried_at       timestamptz(3),
  failure_reason text,
  sent_at        timestamptz(3),
  created_at     timestamptz(3) not null default now(),
  primary key (org_id, id)
);
create index outbox_due on outbox (attempt_at) where status = 'queued';
create index outbox_newest on outbox (org_id, created_at desc, id desc);
create index outbox_of_quote on outbox (org_id, quote_id, created_at desc) where quote_id is not null;
create index outbox_of_invoice on outbox (org_id, invoice_id, created_at desc) where invoice_id is not null;

create function announce_mail() returns trigger language plpgsql as $$
begin
  perform pg_notify('outbox', '');
  return null;
end $$;
create trigger announce after insert on outbox for each statement execute function announce_mail();

-- Stored responses are encrypted from now on; earlier ones cannot be told apart.
delete from idempotency_keys;
