// Stations: the benches, bays and vans that jobs are assigned to.
import { raw, sql } from '../db/database.ts'
import { create, read, update } from '../operations/crud.ts'
import { conflictCode } from '../operations/errors.ts'
import { integer, nullable, text } from '../operations/fields.ts'
import { type Context, deletionMessage, operation, resource, statement } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { maxIndex, table } from '../operations/table.ts'
import { maxUnpaged } from '../operations/table-lists.ts'

const activeJobs = `tickets join ticket_statuses status on status.org_id = tickets.org_id and status.id = tickets.status_id
  where tickets.org_id = stations.org_id and tickets.station_id = stations.id and status.stage <> 'closed'`

export const stations = table({
  name: 'stations',
  noun: 'station',
  prefix: 'sta',
  writable: {
    name: text(120, { examples: ['Bench 1'] }),
    index: t.Optional(
      integer(0, maxIndex, { examples: [0], description: 'Its place in the list; a new one goes to the end.' }),
    ),
    capacity: nullable(
      integer(1, 2_147_483_647, {
        default: 1,
        description: 'How many active jobs fit; null is any number. More can be assigned all the same.',
      }),
    ),
  },
  readOnly: {
    activeJobCount: t.Integer({ description: 'Jobs assigned to it whose status is not of the stage closed.' }),
    isOverCapacity: t.Boolean(),
  },
  read: {
    activeJobCount: `(select count(*) from ${activeJobs})`,
    isOverCapacity: `coalesce((select count(*) from ${activeJobs}) > stations.capacity, false)`,
  },
  order: { column: 'index', type: 'integer', direction: 'asc' },
  maxRecords: { count: maxUnpaged, plural: 'stations' },
})

const stationInUse = conflictCode('STATION_IN_USE', 'An active job is assigned to the station.')

const stationEntity = entity('stations', {
  title: 'Stations',
  description: 'The benches, bays and vans that jobs are assigned to.',
  scopeObject: 'stations',
})

export default resource({ entity: stationEntity, tables: [stations] }, [
  operation('GET /stations', {
    name: 'listStations',
    summary: 'List all stations in their order',
    returns: stations.list,
    run: (_, ctx) => stations.all(ctx),
  }),

  create('/stations', stations),
  read('/stations/:stationId', stations),
  update('/stations/:stationId', stations),

  operation('DELETE /stations/:stationId', {
    name: 'deleteStation',
    summary: 'Delete a station; closed jobs lose it, an active one forbids it',
    returns: deletionMessage,
    conflicts: [stationInUse],
    transaction: true,
    async run({ params: { stationId } }, ctx) {
      // Assigning a job locks the station as well, so none can come in between.
      await ctx.query(stations.lock(ctx, stationId))
      if (await ctx.query(selectHasActiveJob(ctx, stationId))) throw stationInUse()
      return ctx.query(stations.remove(ctx, stationId))
    },
  }),
])

const selectHasActiveJob = ({ orgId }: Context, stationId: string) =>
  statement(
    sql`select exists (select from ${raw(activeJobs)}) as found from stations
        where org_id = ${orgId} and id = ${stationId}`,
    ([station]: { found: boolean }[]) => station!.found,
  )
