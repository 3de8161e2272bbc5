// The organisation itself: what it tells its customers, how documents are numbered, money and time, and who needs a second factor.
import { changeRecord } from './changes.ts'
import { conflictView } from './conflict-view.ts'
import { allFields, type Organisation, organisationFields, organisationLabels } from './organisation-fields.ts'
import { inWords } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { needsOf } from './settings.ts'
import { organisationPage } from './settings-organisation-view.ts'

export function addOrganisationSettings(router: DeskRouter): void {
  const needs = needsOf('organisation')
  router.get('/settings/organisation', needs, async (request) => {
    const { data, version } = await request.readRecord<Organisation>('getOrganisation', {})
    return request.render(organisationPage(request, { record: data, version, typed: formOf(data) }))
  })
  router.post('/settings/organisation', needs, async (request) => {
    const changed = await changeRecord<Organisation>(request, {
      read: 'getOrganisation',
      operation: 'updateOrganisation',
      params: {},
      subject: `organisation ${request.orgName}`,
      fields: organisationFields,
    })
    if (changed && !changed.isDone && changed.refusal === undefined)
      return request.render(
        conflictView(request, {
          title: 'Organisation',
          conflict: changed.conflict,
          action: '/settings/organisation',
          back: '/settings/organisation',
          say: (_, value) => value,
          isText: ({ name }) => allFields[name]?.kind !== 'choice',
          place: 'settings',
        }),
      )
    return request.answer(changed ?? { isDone: true, data: null, version: undefined }, {
      to: '/settings/organisation',
      done: 'saved',
      refused: (refusal) => showAgain(request, refusal),
    })
  })
}

const formOf = (record: Organisation): URLSearchParams =>
  new URLSearchParams(Object.fromEntries(organisationFields.map(({ name, textOf }) => [name, textOf(record)])))

/** With what was typed, and what was refused beside its field. */
async function showAgain(request: DeskRequest, { status, message }: { status: number; message: string }) {
  const { data } = await request.readRecord<Organisation>('getOrganisation', {})
  const typed = request.form
  return request.render(
    organisationPage(request, {
      record: data,
      version: typed.get('version') ?? undefined,
      typed,
      status,
      // Its two parts are one field here.
      problem: inWords(message.replace(/^electronicAddress\.\w+/, 'electronicAddress'), organisationLabels),
      was: (name) => typed.get(`was.${name}`) ?? undefined,
    }),
  )
}
