// Members: the people who work in the organisation. The operator adds and changes them; callers only read.
import { sql } from '../db/database.ts'
import { roles } from '../domain/roles.ts'
import { read } from '../operations/crud.ts'
import { email, integer, nullable, oneOf, text } from '../operations/fields.ts'
import { operation, resource } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { paging, table } from '../operations/table.ts'

const role = oneOf(roles, { examples: ['technician'] })

const members = table({
  name: 'members',
  noun: 'member',
  prefix: 'mem',
  writable: {},
  readOnly: {
    firstName: text(100, { examples: ['Niamh'] }),
    lastName: nullable(text(100, { examples: ['Byrne'] })),
    email: email({ examples: ['niamh@harbour-repairs.example'] }),
    phone: nullable(text(40, { examples: ['+44 7700 900456'] })),
    role,
    isActive: t.Boolean({ examples: [true], description: 'Whether they can sign in and be given work.' }),
    color: nullable(integer(0, 0xffff_ffff, { examples: [4_280_391_411], description: 'ARGB as one number.' })),
  },
  read: { email: '(select people.email from people where people.id = members.person_id)' },
  order: { column: 'sort_name', type: 'text', direction: 'asc' },
})

const memberEntity = entity('members', {
  title: 'Members',
  description: 'The people who work in the organisation. Read only.',
  scopeObject: 'the members of the organisation',
  actions: ['read'],
})

export default resource({ entity: memberEntity, tables: [members] }, [
  operation('GET /members', {
    name: 'listMembers',
    summary: 'List members by first name',
    query: t.Object({
      ...paging,
      isActive: t.Optional(t.Boolean({ description: 'Only those who are active, or only those who are not.' })),
      role: t.Optional(role),
    }),
    returns: members.list,
    run: ({ query: { isActive = null, role = null, ...page } }, ctx) =>
      members.page(ctx, page, {
        where: sql`members.is_active = coalesce(${isActive}, members.is_active) and members.role = coalesce(${role}, members.role)`,
      }),
  }),

  read('/members/:memberId', members),
])
