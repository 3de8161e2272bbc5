// Devices: what a customer brings in or has on site, from a phone to a boiler.
import { read } from '../operations/crud.ts'
import { badRequest } from '../operations/errors.ts'
import { id, optional, text } from '../operations/fields.ts'
import { deletionMessage, operation, resource } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { paging, table } from '../operations/table.ts'
import { externalFields, externalFilters, externalIdTaken } from './external-ids.ts'
import { filterSet } from './filters.ts'
import {
  applyRulesToTickets,
  copyDeviceToTickets,
  lockDeviceUsers,
  lockOpenTicketsOfDevice,
} from './tickets/device-tickets.ts'

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
    ...externalFields,
  },
  write: { name: 'given_name' },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

const deviceFilters = filterSet(externalFilters('devices'))

const path = '/customers/:customerId/devices'

const deviceEntity = entity('devices', {
  title: 'Devices',
  description: 'What a customer brings in or has on site, from a phone to a boiler.',
  scopeObject: "customers' devices",
})

export default resource({ entity: deviceEntity, tables: [devices] }, [
  operation(`GET ${path}`, {
    name: 'listDevices',
    summary: "List a customer's devices, newest first",
    query: t.Object({ ...paging, ...deviceFilters.query }),
    returns: devices.list,
    run({ params: { customerId }, query }, ctx) {
      const ofCustomer: typeof devices.page = (_, page, options) =>
        devices.page(ctx, page, { ...options, parentId: customerId })
      return deviceFilters.page({ page: ofCustomer }, ctx, query)
    },
  }),

  operation(`POST ${path}`, {
    name: 'createDevice',
    summary: 'Add a device to a customer',
    body: devices.createBody,
    status: 201,
    returns: devices.record,
    conflicts: [externalIdTaken],
    run({ params: { customerId }, body }, ctx) {
      if (!hasName(body)) throw badRequest(nameRequired)
      return devices.insert(ctx, body, { parentId: customerId })
    },
  }),

  {
    ...read(`${path}/:deviceId`, devices),
    async lock({ customerId, deviceId = '' }, ctx) {
      await lockDeviceUsers(ctx, deviceId)
      await ctx.query(devices.lock(ctx, deviceId, { parentId: customerId }))
    },
  },

  operation(`PUT ${path}/:deviceId`, {
    name: 'updateDevice',
    summary: 'Change a device; jobs that refer to it show what it is called now',
    body: devices.updateBody,
    returns: devices.record,
    conflicts: [externalIdTaken],
    transaction: true,
    async run({ params: { customerId, deviceId }, body }, ctx) {
      await lockDeviceUsers(ctx, deviceId)
      const device = await ctx.query(devices.update(ctx, deviceId, body, { parentId: customerId }))
      await ctx.query(copyDeviceToTickets(ctx, deviceId))
      if ('type' in body || 'categoryId' in body) {
        await applyRulesToTickets(ctx, await ctx.query(lockOpenTicketsOfDevice(ctx, deviceId)))
      }
      return device
    },
  }),

  operation(`DELETE ${path}/:deviceId`, {
    name: 'deleteDevice',
    summary: 'Delete a device',
    returns: deletionMessage,
    transaction: true,
    async run({ params: { customerId, deviceId } }, ctx) {
      await lockDeviceUsers(ctx, deviceId)
      await ctx.query(devices.lock(ctx, deviceId, { parentId: customerId }))
      const ticketIds = await ctx.query(lockOpenTicketsOfDevice(ctx, deviceId))
      const deleted = await ctx.query(devices.remove(ctx, deviceId, { parentId: customerId }))
      await applyRulesToTickets(ctx, ticketIds)
      return deleted
    },
  }),
])

/** What a device is called by; its name is made from the others. */
const nameFields = ['type', 'brand', 'make', 'model', 'identifier', 'name'] as const
export const hasName = (body: { readonly [Field in (typeof nameFields)[number]]?: string | null }): boolean =>
  nameFields.some((field) => (body[field] ?? null) !== null)

export const nameRequired = 'At least one of type, brand, make, model, identifier or name is required'
