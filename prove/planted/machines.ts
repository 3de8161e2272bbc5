// Faults in what lets the tables be distributed over several machines, and in which of several is written to. Those that only a cluster shows are in
// test/citus.test.ts, which is skipped where there is none: they stand at the end.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import { citusSkipReason } from '../../test/citus-cluster.ts'
import type { Mutant } from './mutant.ts'

const sharding = ['test/sharding.test.ts']
const locks = ['src/db/organisation-lock.test.ts']
const cluster = ['test/citus.test.ts']
const servers = ['src/db/servers.test.ts']

const everywhere: readonly Mutant[] = [
  {
    control: 'a migration is sent statement by statement',
    file: 'src/db/migration-steps.ts',
    find: "if (piece === ';') statements.push('')",
    replace: "if (piece === '') statements.push('')",
    tests: ['src/db/migrate.test.ts'],
  },
  {
    control: 'each step of a migration is a transaction of its own',
    file: 'src/db/migration-steps.ts',
    find: 'text.split(/^(?=-- Next step\\b)/m)',
    replace: '[text]',
    tests: ['src/db/migrate.test.ts'],
  },
  {
    control: 'a step that is repeated goes on until nothing is left',
    file: 'src/db/migrate.ts',
    find: "if (kind === 'repeated') while ((await runTransaction(client, statements)) > 0);",
    replace: "if (kind === 'repeated') await runTransaction(client, statements)",
    tests: ['test/old-rows.test.ts'],
    expectedFailure: 'are found by their words, each of them',
  },
  {
    control: 'filling old records with their words is told to nobody',
    file: 'migrations/0017-narrower-lists.sql',
    find: "set local jobwright.events to 'off';\nselect filled from fill_search_text('tickets')",
    replace: "select filled from fill_search_text('tickets')",
    tests: ['test/old-rows.test.ts'],
    expectedFailure: 'nobody is told of it',
  },
  {
    control: 'filling old records waits for nobody while there are others to fill',
    file: 'migrations/0017-narrower-lists.sql',
    find: 'for no key update skip locked',
    replace: 'for no key update',
    tests: ['test/old-rows.test.ts'],
    expectedFailure: 'and the others meanwhile',
  },
  {
    control: 'an index that was left behind unfinished is built anew',
    file: 'src/db/migrate.ts',
    find: 'if (index) await runLong(client, `drop index concurrently if exists ${index}`)',
    replace: '',
    tests: ['test/old-rows.test.ts'],
    expectedFailure: 'left behind when a migration was cut off',
  },
  {
    control: 'where tables may be distributed, indexes are not built concurrently',
    file: 'src/db/migration-steps.ts',
    find: "kind === 'concurrently' ? { kind: 'once', statements: statements.map(inBlock) } : { kind, statements }",
    replace: '({ kind, statements })',
    tests: ['src/db/migrate.test.ts'],
  },
  {
    control: 'whoever waits to migrate holds up no index that is built concurrently',
    file: 'src/db/migrate.ts',
    find: 'select pg_try_advisory_lock(${advisoryLockId}) as held',
    replace: 'select pg_advisory_lock(${advisoryLockId}) is not null as held',
    tests: ['src/db/database.test.ts'],
    expectedFailure: 'applies each migration once',
  },
  {
    control: 'a step of a migration that was done is not done again',
    file: 'src/db/migrate.ts',
    find: '    if (applied.has(nameOf(index))) continue\n',
    replace: '',
    tests: ['test/old-rows.test.ts'],
  },
  {
    control: 'a migration leaves alone what was right before',
    file: 'migrations/0011-converted-quotes.sql',
    find: " and quotes.status <> 'invoiced'",
    replace: '',
    tests: ['test/released.test.ts'],
  },
  {
    control: 'what a table of the coordinator refers to stays with it',
    file: 'src/db/layout.ts',
    find: 'if (!isOnEveryMachine(target)) local.add(target)',
    replace: 'if (!isOnEveryMachine(target)) local.has(target)',
    tests: sharding,
  },
  {
    control: 'a table that is found by something else than its organisation is not distributed',
    file: 'src/db/layout.ts',
    find: 'coalesce(bool_and(',
    replace: 'coalesce(bool_or(',
    tests: sharding,
  },
  {
    control: 'documents keep the currency they were written in',
    file: 'src/resources/billing/facts.ts',
    find: "    ctx.query(statement(organisationLock(ctx.orgId, 'document writer'), () => {})),\n",
    replace: '    Promise.resolve(),\n',
    tests: locks,
  },
  {
    control: 'who acts as a member is one until the act is done',
    file: 'src/portal/router.ts',
    find: "  await lockOrganisationFor(transaction, orgId, 'acting member')\n",
    replace: '',
    tests: locks,
  },
  {
    control: 'a member is not changed while somebody acts as one',
    file: 'src/db/organisation-lock.ts',
    find: "'change of members': 'update',",
    replace: "'change of members': 'key share',",
    tests: locks,
  },
  {
    control: 'a replica is not written to',
    file: 'src/db/connection.ts',
    find: "reported.get('default_transaction_read_only') !== 'on'",
    replace: "reported.get('default_transaction_read_only') !== ''",
    tests: servers,
  },
  {
    control: 'where a server is away, the next one is tried',
    file: 'src/db/servers.ts',
    find: 'const index = (first + step) % this.#all.length',
    replace: 'const index = first',
    tests: servers,
  },
  {
    control: 'a server that ceased to take writes is answered with 503',
    file: 'src/db/connection.ts',
    find: '|55P03|25006)/',
    replace: '|55P03)/',
    tests: servers,
  },
  {
    control: 'the hosts of an address are told apart',
    file: 'src/config/database-url.ts',
    find: "const hosts = authority!.split(',')",
    replace: 'const hosts = [authority!]',
    tests: servers,
  },
  {
    control: 'two servers that both take writes are found',
    file: 'src/cli/doctor-servers.ts',
    find: "state === 'writable').length > 1",
    replace: "state === 'writable').length > 2",
    tests: ['src/cli/doctor.test.ts'],
  },
  {
    control: 'new mail wakes the worker',
    file: 'migrations/0014-many-machines.sql',
    find: "  perform pg_notify('outbox', '');\n",
    replace: '',
    tests: ['src/worker/mail.test.ts'],
    expectedFailure: 'announced',
  },
]

const onCluster: readonly Mutant[] = [
  {
    control: 'the moment that a trigger wrote on another machine is no change of what was brought',
    file: 'src/resources/imports/write.ts',
    find: '  if (!oneStatement.has(kind)) await ctx.query(followClocks(ctx, staged.id, kind, written))\n',
    replace: '',
    tests: cluster,
    expectedFailure: 'a brought invoice that nobody touched',
  },
  {
    control: 'a table that a step of a migration makes has its place before the next step',
    file: 'src/db/migrate.ts',
    find: '    await afterStep()\n',
    replace: '',
    tests: cluster,
    expectedFailure: 'a role that only owns the database',
  },
  {
    control: 'a table whose migration was cut off before it had its place gets it with the next start',
    file: 'src/db/migrate.ts',
    find: '    await distributeNewTables(database)\n    for (const file',
    replace: '    for (const file',
    tests: cluster,
    expectedFailure: 'also by whoever finds nothing else to do',
  },
  {
    control: 'extensions that a superuser made are not asked for again',
    file: 'migrations/0001-foundation.sql',
    find: "if not exists (select from pg_extension where extname = 'pg_trgm') then\n    create extension pg_trgm;",
    replace: 'if true then\n    create extension if not exists pg_trgm;',
    tests: cluster,
  },
  {
    control: 'a rule of a table on another machine is refused like one of a table here',
    file: 'src/db/engine.ts',
    find: '  return Object.assign(error, { constraint: name, table: owner?.table })',
    replace: '  return error',
    tests: cluster,
  },
  {
    control: 'a rule that one of many rows breaks on another machine is known as one',
    file: 'src/db/connection.ts',
    find: "[/violates check constraint/, '23514'],",
    replace: '',
    tests: cluster,
    expectedFailure: 'a rule of a distributed table',
  },
  {
    control: 'foreign keys are put back where tables are distributed',
    file: 'src/db/distribute.ts',
    find: 'isLocal(owner) === isLocal(target)',
    replace: 'isLocal(owner) && isLocal(target)',
    tests: cluster,
  },
  {
    control: 'a dry run changes nothing',
    file: 'src/db/distribute.ts',
    find: 'if (!isDryRun && missing.length > 0)',
    replace: 'if (missing.length > 0)',
    tests: cluster,
  },
  {
    control: 'Citus takes no time within a case',
    file: 'src/resources/imports/attempts.ts',
    find: 'due_at = now() + case when ${isOver} then ${keptFor} else interval',
    replace: 'due_at = case when ${isOver} then now() + ${keptFor} else now() + interval',
    tests: cluster,
    expectedFailure: 'an import that cannot go on is put off',
  },
  {
    control: 'what is told of a member who was removed may come from the coordinator',
    file: 'src/events/captured.ts',
    find: "isOnEveryMachine(table) ? 'materialized' : 'not materialized'",
    replace: "'not materialized'",
    tests: cluster,
    expectedFailure: 'a member who is removed is told',
  },
  {
    control: 'the feeds of a member go with them',
    file: 'migrations/0014-many-machines.sql',
    find: '    delete from calendar_feeds where org_id = old.org_id and member_id = old.id;\n',
    replace: '',
    tests: cluster,
  },
]

export const machines: readonly Mutant[] = citusSkipReason ? everywhere : [...everywhere, ...onCluster]
