// Faults between organisations: what one of them could see or touch of another.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const isolation = ['test/isolation.test.ts']

export const tenancy: readonly Mutant[] = [
  {
    control: 'a record is looked for in the organisation of the caller',
    file: 'src/operations/table.ts',
    find: ': sql`${tableSql}.org_id = ${ctx.orgId}`',
    replace: ': sql`${tableSql}.org_id >= left(${ctx.orgId}, 0)`',
    tests: isolation,
  },
  {
    control: 'a record under another one is looked for in the organisation of the caller',
    file: 'src/operations/table.ts',
    find: '? sql`${tableSql}.org_id = ${ctx.orgId} and ',
    replace: '? sql`${tableSql}.org_id >= left(${ctx.orgId}, 0) and ',
    tests: isolation,
  },
  {
    control: 'a record is read in the organisation of the caller',
    file: 'src/operations/table.ts',
    find: 'from ${name} where ${name}.org_id = $1`',
    replace: 'from ${name} where ${name}.org_id >= left($1, 0)`',
    tests: isolation,
  },
  {
    control: 'a record is read under its own parent only',
    file: 'src/operations/table.ts',
    find: '[`${name}.${parent.column} = $2`,',
    replace: '[`${name}.${parent.column} >= left($2, 0)`,',
    tests: ['src/resources/devices.test.ts'],
  },
  {
    control: 'a list under another record says nothing of a parent elsewhere',
    file: 'src/operations/table-lists.ts',
    find: 'where org_id = ${ctx.orgId} and id = ${parentId})`',
    replace: 'where org_id >= left(${ctx.orgId}, 0) and id = ${parentId})`',
    tests: isolation,
  },
  {
    control: 'a record is found under its own parent only',
    file: 'src/operations/table.ts',
    find: '${tableSql}.${raw(parent.column)} = ${parentId}`',
    replace: '${tableSql}.${raw(parent.column)} >= left(${parentId}, 0)`',
    tests: ['src/resources/devices.test.ts'],
  },
  {
    control: 'the place of a deleted record is a cursor in its own organisation only',
    file: 'src/operations/table-lists.ts',
    find: 'where org_id = ${orgId} and collection = ${name}',
    replace: 'where org_id >= left(${orgId}, 0) and collection = ${name}',
    tests: isolation,
  },
  {
    control: 'a credential is refused on the path of another organisation',
    file: 'src/rest/guard.ts',
    find: 'if (presented.orgId !== undefined && presented.orgId !== credential.orgId) {',
    replace: 'if (false) {',
    tests: ['src/rest/guard.test.ts'],
  },
  {
    control: 'a phone number is looked up among the customers of the caller',
    file: 'src/resources/customers.ts',
    find: 'where org_id = ${orgId} and phone = ${phone}',
    replace: 'where org_id >= left(${orgId}, 0) and phone = ${phone}',
    tests: isolation,
  },
  {
    control: 'an email address is looked up among the customers of the caller',
    file: 'src/resources/customers.ts',
    find: 'where org_id = ${orgId} and lower(email) = lower(${email})',
    replace: 'where org_id >= left(${orgId}, 0) and lower(email) = lower(${email})',
    tests: isolation,
  },
  {
    control: 'the database knows a device by a category of its own organisation',
    file: 'migrations/0002-jobs.sql',
    find: 'alter table devices add constraint devices_category_id_exists\n  foreign key (org_id, category_id) references asset_categories on delete set null (category_id);',
    replace: '',
    tests: ['src/resources/devices.test.ts'],
  },
  {
    control: 'the database knows an item by a category of its own organisation',
    file: 'migrations/0002-jobs.sql',
    find: 'constraint inventory_category_id_exists\n    foreign key (org_id, category_id) references inventory_categories on delete set null (category_id)',
    replace: 'constraint inventory_category_id_exists check (true)',
    tests: ['src/resources/inventory.test.ts'],
  },
  {
    control: 'two organisations may use the same SKU',
    file: 'migrations/0002-jobs.sql',
    find: 'create unique index inventory_sku_unique on inventory (org_id, sku)',
    replace: 'create unique index inventory_sku_unique on inventory (sku)',
    tests: ['src/resources/inventory.test.ts'],
  },
  {
    control: 'two organisations may count to the same job number',
    file: 'migrations/0002-jobs.sql',
    find: 'constraint tickets_number unique (org_id, ticket_number)',
    replace: 'constraint tickets_number unique (ticket_number)',
    tests: ['src/resources/tickets/tickets.test.ts'],
  },
  {
    control: 'the pages of the portal are those of an organisation one belongs to',
    file: 'src/sign-in/member-session.ts',
    find: 'const mine = signedIn.memberships.find((one) => one.orgId === orgId)',
    replace: 'const mine = { ...signedIn.memberships[0]!, orgId: orgId! }',
    tests: ['src/portal/portal.test.ts'],
  },
  {
    control: 'a calendar feed shows the events of its own organisation',
    file: 'src/public/calendar-feed.ts',
    find: 'where event.org_id = ${orgId} ',
    replace: 'where event.org_id >= left(${orgId}, 0) ',
    tests: ['src/public/calendar-feed.test.ts'],
  },
  {
    control: 'a tool of an agent reaches the organisation of its credential',
    file: 'src/mcp/server.ts',
    find: 'return toToolResult(await execute(toOperationRequest(tool, given), call.caller), tool.listShape, isStructured)',
    replace:
      'return toToolResult(await execute(toOperationRequest(tool, given), { ...call.caller, orgId: String(given.orgId ?? call.caller.orgId) }), tool.listShape, isStructured)',
    tests: ['src/mcp/endpoint.test.ts'],
  },
  {
    control: 'an import hands nobody a shop: whom another shop invited begins anew',
    file: 'src/transfer/import-writer.ts',
    find: 'if (madeByOrg !== null) await resetSignIn(',
    replace: 'if (madeByOrg === person) await resetSignIn(',
    tests: ['src/transfer/imported-people.test.ts'],
  },
]
