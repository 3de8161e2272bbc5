// Stations: the benches, bays and vans that jobs are assigned to.
import { Type as t } from 'typebox'
import { conflict } from '../api/errors.ts'
import { nullable, text, whole } from '../api/fields.ts'
import { type Context, message, operation, resource, statement } from '../api/operation.ts'
import { create, read, update } from '../api/plain.ts'
import { mostIndex, mostUnpaged, table } from '../api/table.ts'
import { raw, sql } from '../database.ts'

const activeJobs = `tickets join ticket_statuses status on status.org_id = tickets.org_id and status.id = tickets.status_id
  where tickets.org_id = stations.org_id and tickets.station_id = stations.id and status.stage <> 'closed'`

export const stations = table({
  name: 'stations',
  noun: 'station',
  prefix: 'sta',
  writable: {
    name: text(120, { examples: ['Bench 1'] }),
    index: t.Optional(
      whole(0, mostIndex, { examples: [0], description: 'Its place in the list; a new one goes to the end.' }),
    ),
    capacity: nullable(
      whole(1, 2_147_483_647, {
        default: 1,
        description: 'How many active jobs fit; null is any number. More can be assigned all the same.',
      }),
    ),
  },
  kept: {
    activeJobCount: t.Integer({ description: 'Jobs assigned to it whose status is not of the stage closed.' }),
    isOverCapacity: t.Boolean(),
  },
  read: {
    activeJobCount: `(select count(*) from ${activeJobs})`,
    isOverCapacity: `coalesce((select count(*) from ${activeJobs}) > stations.capacity, false)`,
  },
  order: { column: 'index', type: 'integer', direction: 'asc' },
  most: mostUnpaged,
})

export default resource('stations', [
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
    returns: message,
    conflicts: ['STATION_IN_USE'],
    async run({ params: { stationId } }, ctx) {
      // Assigning a job holds the station as well, so none can come in between.
      await ctx.ask(stations.lock(ctx, stationId))
      if (await ctx.ask(hasActiveJob(ctx, stationId))) throw conflict('STATION_IN_USE')
      return ctx.ask(stations.remove(ctx, stationId))
    },
  }),
])

const hasActiveJob = ({ orgId }: Context, stationId: string) =>
  statement(
    sql`select exists (select from ${raw(activeJobs)}) as found from stations
        where org_id = ${orgId} and id = ${stationId}`,
    ([station]: { found: boolean }[]) => station!.found,
  )
