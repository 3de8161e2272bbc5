// Devices: what a customer brings in or has on site, from a phone to a boiler.
import { Type as t } from 'typebox'
import { badRequest } from '../api/errors.ts'
import { id, optional, text } from '../api/fields.ts'
import { message, operation, resource } from '../api/operation.ts'
import { read } from '../api/plain.ts'
import { paging, table } from '../api/table.ts'
import { deviceCopied, deviceJudged, deviceUsersHeld, ticketsWithDevice } from './tickets/of-device.ts'

export const devices = table({
  name: 'devices',
  noun: 'device',
  prefix: 'dev',
  parent: { table: 'customers', column: 'customer_id', noun: 'customer' },
  writable: {
    type: optional(text(100, { examples: ['Phone'] })),
    brand: optional(text(100, { examples: ['Fairphone'] })),
    make: optional(text(100)),
    model: optional(text(100, { examples: ['5'] })),
    identifier: optional(
      text(120, { examples: ['356938035643809'], description: 'Serial number, IMEI, VIN or plate.' }),
    ),
    name: optional(
      text(120, {
        examples: ['Front-desk phone'],
        description: 'What people call it; made from the other fields if unset.',
      }),
    ),
    categoryId: optional(id({ description: 'An asset category.' })),
  },
  write: { name: 'given_name' },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

const path = '/customers/:customerId/devices'

export default resource('devices', [
  operation(`GET ${path}`, {
    name: 'listDevices',
    summary: "List a customer's devices, newest first",
    query: t.Object(paging),
    returns: devices.list,
    run: ({ params: { customerId }, query }, ctx) => devices.page(ctx, query, undefined, customerId),
  }),

  operation(`POST ${path}`, {
    name: 'createDevice',
    summary: 'Add a device to a customer',
    body: devices.create,
    status: 201,
    returns: devices.record,
    run({ params: { customerId }, body }, ctx) {
      const { categoryId: _, ...known } = body
      if (Object.values(known).every((value) => value === null)) throw badRequest(nameless)
      return devices.insert(ctx, body, customerId)
    },
  }),

  read(`${path}/:deviceId`, devices),

  operation(`PUT ${path}/:deviceId`, {
    name: 'updateDevice',
    summary: 'Change a device; jobs that refer to it show what it is called now',
    body: devices.update,
    returns: devices.record,
    async run({ params: { customerId, deviceId }, body }, ctx) {
      await deviceUsersHeld(ctx, deviceId)
      const device = await ctx.ask(devices.change(ctx, deviceId, body, customerId))
      await ctx.ask(deviceCopied(ctx, deviceId))
      if ('type' in body || 'categoryId' in body) {
        await deviceJudged(ctx, await ctx.ask(ticketsWithDevice(ctx, deviceId)))
      }
      return device
    },
  }),

  operation(`DELETE ${path}/:deviceId`, {
    name: 'deleteDevice',
    summary: 'Delete a device',
    returns: message,
    async run({ params: { customerId, deviceId } }, ctx) {
      await deviceUsersHeld(ctx, deviceId)
      await ctx.ask(devices.lock(ctx, deviceId, customerId))
      const ticketIds = await ctx.ask(ticketsWithDevice(ctx, deviceId))
      const deleted = await ctx.ask(devices.remove(ctx, deviceId, customerId))
      await deviceJudged(ctx, ticketIds)
      return deleted
    },
  }),
])

const nameless = 'At least one of type, brand, make, model, identifier or name is required'
