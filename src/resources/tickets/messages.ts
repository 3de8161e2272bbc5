// The timeline of a job: what people wrote, and what the service noted.
import { sql } from '../../db/database.ts'
import { read, remove } from '../../operations/crud.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { id, nullable, oneOf, text } from '../../operations/fields.ts'
import { type Context, operation, resource, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { entity } from '../../operations/scopes.ts'
import { paging, table } from '../../operations/table.ts'
import { ownJobOnly } from './own-jobs.ts'

export const messages = table({
  name: 'messages',
  noun: 'message',
  typeName: 'TicketMessage',
  prefix: 'msg',
  parent: { table: 'tickets', column: 'ticket_id', noun: 'job' },
  writable: {
    text: text(10_000, { examples: ['The part has arrived; ready on Friday.'] }),
    visibility: oneOf(['internal', 'customer'], {
      default: 'internal',
      description: '`customer` shows it on the pages of the documents of the job.',
    }),
  },
  readOnly: {
    isSystem: t.Boolean({ examples: [false] }),
    systemEvent: nullable(t.String()),
    systemData: t.Unsafe<object | null>({ type: ['object', 'null'] }),
    authorId: nullable(id()),
    authorName: nullable(t.String({ examples: ['Front desk'] })),
  },
  event: { noun: 'message' },
  order: { column: 'created_at', type: 'timestamptz', direction: 'asc' },
})

const path = '/tickets/:ticketId/messages'

const messageEntity = entity('messages', {
  title: 'Messages',
  description: 'The timeline of a job: what people wrote and what the service noted.',
  scopeObject: "messages on a job's timeline",
})

export default resource({ entity: messageEntity, tables: [messages] }, [
  operation(`GET ${path}`, {
    name: 'listTicketMessages',
    summary: "List a job's messages, oldest first",
    query: t.Object(paging),
    returns: messages.list,
    run: ({ params: { ticketId }, query }, ctx) => messages.page(ctx, query, { parentId: ticketId }),
  }),

  operation(`POST ${path}`, {
    name: 'addTicketMessage',
    summary: 'Write a message on a job',
    mcp: { advice: 'Notes for staff unless visibility is customer.' },
    body: messages.createBody,
    status: 201,
    returns: messages.record,
    run: ({ params: { ticketId }, body }, ctx) => ({
      ...messages.insert(ctx, body, {
        parentId: ticketId,
        columns: { author_id: ctx.caller.credentialId, author_name: ctx.caller.name },
      }),
      first: ownJobOnly(ctx, ticketId),
    }),
  }),

  {
    ...read(`${path}/:messageId`, messages),
    lock: ({ ticketId = '', messageId = '' }, ctx) =>
      ctx.query({ ...messages.lock(ctx, messageId, { parentId: ticketId }), first: ownJobOnly(ctx, ticketId) }),
  },

  operation(`PUT ${path}/:messageId`, {
    name: 'updateTicketMessage',
    summary: 'Change a message that people wrote',
    body: messages.updateBody,
    returns: messages.record,
    transaction: true,
    async run({ params: { ticketId, messageId }, body }, ctx) {
      const isSystem = { ...selectIsSystemMessage(ctx, messageId, ticketId), first: ownJobOnly(ctx, ticketId) }
      if (await ctx.query(isSystem)) throw badRequest('System messages cannot be updated')
      return ctx.query(messages.update(ctx, messageId, body, { parentId: ticketId }))
    },
  }),

  remove(`${path}/:messageId`, messages),
])

const selectIsSystemMessage = ({ orgId }: Context, messageId: string, ticketId: string): Statement<boolean> =>
  statement(
    sql`select is_system from messages where org_id = ${orgId} and ticket_id = ${ticketId} and id = ${messageId} for update`,
    ([row]: { is_system: boolean }[]) => {
      if (!row) throw notFound('message')
      return row.is_system
    },
  )
