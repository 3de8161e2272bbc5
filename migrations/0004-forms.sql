-- Compliance forms: templates, the rules that require them of jobs, and submissions with signatures and an audit trail.

create table form_templates (
  org_id          text not null references organisations on delete cascade,
  id              text not null,
  name            text not null,
  description     text,
  version         integer not null default 1,
  status          text not null default 'draft' check (status in ('draft', 'published', 'archived')),
  fields          jsonb not null default '[]',
  signature_roles jsonb not null default '[]',
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  sort_name       text not null generated always as (folded(name)) stored,
  primary key (org_id, id)
);
create unique index form_templates_name_unique on form_templates (org_id, lower(name));
create index form_templates_by_name on form_templates (org_id, sort_name, id);
create trigger bury after delete on form_templates referencing old table as gone
  for each statement execute function bury('sort_name');

create table form_rules (
  org_id      text not null references organisations on delete cascade,
  id          text not null,
  name        text not null,
  template_id text not null,
  gate        text not null check (gate in ('start', 'completion', 'invoice', 'none')),
  is_active   boolean not null default true,
  match       jsonb not null,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  sort_name   text not null generated always as (folded(name)) stored,
  primary key (org_id, id),
  constraint form_rules_template_id_exists foreign key (org_id, template_id) references form_templates
);
create unique index form_rules_name_unique on form_rules (org_id, lower(name));
create index form_rules_by_name on form_rules (org_id, sort_name, id);
create index form_rules_by_template on form_rules (org_id, template_id, sort_name, id);
-- Read for every new job.
create index form_rules_active on form_rules (org_id) where is_active;
create trigger bury after delete on form_rules referencing old table as gone
  for each statement execute function bury('sort_name');

-- The template is a snapshot; so are customer and device once the form is submitted. A submitted form outlives its job;
-- any other is deleted with the job.
create table form_submissions (
  org_id           text not null references organisations on delete cascade,
  id               text not null,
  template_id      text not null,
  template_name    text not null,
  template_version integer not null,
  fields           jsonb not null,
  signature_roles  jsonb not null,
  rule_id          text,
  ticket_id        text not null,
  held_ticket_id   text generated always as (case when status <> 'submitted' then ticket_id end) stored,
  customer_id      text,
  device_id        text,
  assigned_to_id   text,
  gate             text not null check (gate in ('start', 'completion', 'invoice', 'none')),
  status           text not null default 'open' check (status in ('open', 'inProgress', 'submitted', 'voided')),
  answers          jsonb not null default '[]',
  submitted_at     timestamptz(3),
  submitted_by_id  text,
  void_reason      text,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint form_submissions_template_id_exists foreign key (org_id, template_id) references form_templates,
  constraint form_submissions_rule_id_exists
    foreign key (org_id, rule_id) references form_rules on delete set null (rule_id),
  constraint form_submissions_ticket_id_parent
    foreign key (org_id, held_ticket_id) references tickets on delete cascade
);
-- A rule requires its form once per job, unless that one was voided.
create unique index form_submissions_once on form_submissions (org_id, rule_id, ticket_id) where status <> 'voided';
create index form_submissions_newest on form_submissions (org_id, created_at desc, id desc);
create index form_submissions_by_ticket on form_submissions (org_id, ticket_id, gate, status);
create index form_submissions_by_template on form_submissions (org_id, template_id, created_at desc, id desc);
create index form_submissions_by_status on form_submissions (org_id, status, created_at desc, id desc);
create index form_submissions_held on form_submissions (org_id, held_ticket_id) where held_ticket_id is not null;
create trigger bury after delete on form_submissions referencing old table as gone
  for each statement execute function bury('created_at');

-- Counts the open forms of each gate on the job, whatever writes them. Writers lock the job before its forms, so whoever
-- holds that lock reads exact counts.
create function count_open_forms() returns trigger language plpgsql as $$
begin
  execute format($count$
    update tickets set open_start_form_count = open_start_form_count + starting,
      open_completion_form_count = open_completion_form_count + completing,
      open_invoice_form_count = open_invoice_form_count + invoicing, updated_at = now()
    from (
      select org_id, ticket_id, coalesce(sum(step) filter (where gate = 'start'), 0) as starting,
        coalesce(sum(step) filter (where gate = 'completion'), 0) as completing,
        coalesce(sum(step) filter (where gate = 'invoice'), 0) as invoicing
      from (%s) change where status in ('open', 'inProgress') group by 1, 2
    ) changed
    where tickets.org_id = changed.org_id and tickets.id = ticket_id
      and (starting <> 0 or completing <> 0 or invoicing <> 0)$count$,
    case tg_op
      when 'INSERT' then 'select org_id, ticket_id, gate, status, 1 as step from added'
      when 'DELETE' then 'select org_id, ticket_id, gate, status, -1 as step from gone'
      else 'select org_id, ticket_id, gate, status, -1 as step from gone
            union all select org_id, ticket_id, gate, status, 1 from added'
    end);
  return null;
end $$;
create trigger forms_opened after insert on form_submissions referencing new table as added
  for each statement execute function count_open_forms();
create trigger forms_changed after update on form_submissions referencing old table as gone new table as added
  for each statement execute function count_open_forms();
create trigger forms_gone after delete on form_submissions referencing old table as gone
  for each statement execute function count_open_forms();

-- Until it is submitted, a form has the customer, device and technician of its job.
create function forms_follow_job() returns trigger language plpgsql as $$
begin
  update form_submissions set customer_id = new.customer_id, device_id = new.device_id,
    assigned_to_id = new.assigned_technician, updated_at = now()
  where org_id = new.org_id and held_ticket_id = new.id and status in ('open', 'inProgress');
  return null;
end $$;
create trigger forms_follow_job after update on tickets for each row
  when ((old.customer_id, old.device_id, old.assigned_technician)
    is distinct from (new.customer_id, new.device_id, new.assigned_technician))
  execute function forms_follow_job();

create table form_signatures (
  org_id        text not null,
  id            text not null,
  submission_id text not null,
  role          text not null check (role in ('technician', 'customer')),
  signer_name   text not null,
  signature     text not null,
  signed_at     timestamptz(3) not null default clock_timestamp(),
  place         bigint not null generated always as identity,
  primary key (org_id, id),
  constraint form_signatures_role_unique unique (org_id, submission_id, role),
  constraint form_signatures_submission_id_parent
    foreign key (org_id, submission_id) references form_submissions on delete cascade
);

-- The audit trail of a form, in order.
create table form_events (
  org_id        text not null,
  id            text not null,
  submission_id text not null,
  type          text not null
    check (type in ('created', 'opened', 'answered', 'signed', 'submitted', 'reopened', 'voided')),
  actor_id      text,
  actor_name    text,
  at            timestamptz(3) not null default clock_timestamp(),
  detail        jsonb,
  place         bigint not null generated always as identity,
  primary key (org_id, id),
  constraint form_events_submission_id_parent
    foreign key (org_id, submission_id) references form_submissions on delete cascade
);
create index form_events_in_order on form_events (org_id, submission_id, place);
