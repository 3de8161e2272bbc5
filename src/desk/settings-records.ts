// The short lists of settings: shown whole, put in order by drag or by buttons, made, changed and deleted.
import { ApiError } from '../operations/errors.ts'
import { changeRecord } from './changes.ts'
import { conflictView } from './conflict-view.ts'
import { flashMessages } from './flash.ts'
import type { Refusal } from './perform.ts'
import { inWords, type Labels } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { needsOf } from './settings.ts'
import { editedFields, type SettingsKind, type SettingsRecord, settingsKinds } from './settings-kinds.ts'
import { deletionPage, recordListPage, recordPage } from './settings-records-view.ts'

export function addRecordSettings(router: DeskRouter): void {
  for (const section of new Set(settingsKinds.map((kind) => kind.section)))
    router.get(`/settings/${section}`, needsOf(section), async (request) => renderLists(request, section))
  for (const kind of settingsKinds) addKind(router, kind)
}

function addKind(router: DeskRouter, kind: SettingsKind): void {
  const needs = needsOf(kind.section)
  const path = `/settings/${kind.path}`
  const back = `/settings/${kind.section}`

  router.get(`${path}/new`, needs, async (request) =>
    request.render(recordPage(request, kind, { typed: newForm(kind) })),
  )
  router.post(path, needs, async (request) => {
    const { form } = request
    const body = Object.assign(
      {},
      ...editedFields(kind)
        .filter(({ name }) => (form.get(name) ?? '').trim() !== '')
        .map(({ name, bodyOf }) => bodyOf(form.get(name)!.trim())),
    )
    const performed = await request.perform({
      operation: kind.operations.create,
      body,
      subject: ({ name }: SettingsRecord) => `${kind.noun} ${name}`,
    })
    return request.answer(performed, {
      to: back,
      done: 'added',
      refused: (refusal) => request.render(recordPage(request, kind, { typed: form, ...problemOf(kind, refusal) })),
    })
  })

  const { orderedDone } = kind
  if (orderedDone) router.post(`${path}/order`, needs, (request) => putInOrder(request, kind, orderedDone))

  router.get(`${path}/:id`, needs, async (request) => {
    const { data, version } = await readOne(request, kind)
    return request.render(recordPage(request, kind, { record: data, version, typed: formOf(kind, data) }))
  })
  router.post(`${path}/:id`, needs, async (request) => {
    const { data } = await readOne(request, kind)
    const changed = await changeRecord<SettingsRecord>(request, {
      read: kind.operations.read,
      operation: kind.operations.update,
      params: paramsOf(request, kind),
      subject: `${kind.noun} ${data.name}`,
      fields: editedFields(kind),
    })
    if (changed && !changed.isDone && changed.refusal === undefined)
      return request.render(
        conflictView(request, {
          title: data.name,
          conflict: changed.conflict,
          action: `${path}/${data.id}`,
          back,
          say: (_, value) => value,
          isText: ({ name }) => name === 'name',
          place: 'settings',
        }),
      )
    return request.answer(changed ?? { isDone: true, data: null, version: undefined }, {
      to: back,
      done: 'saved',
      refused: (refusal) =>
        request.render(
          recordPage(request, kind, {
            record: data,
            version: request.form.get('version') ?? undefined,
            typed: request.form,
            ...problemOf(kind, refusal),
          }),
        ),
    })
  })

  router.get(`${path}/:id/delete`, needs, async (request) => {
    const { data, version } = await readOne(request, kind)
    return request.render(deletionPage(request, kind, data, version))
  })
  router.post(`${path}/:id/delete`, needs, async (request) => {
    const { data, version } = await readOne(request, kind)
    const performed = await request.perform({
      operation: kind.operations.remove,
      params: paramsOf(request, kind),
      version: request.form.get('version') || undefined,
      subject: `${kind.noun} ${data.name}`,
    })
    return request.answer(performed, {
      to: back,
      done: 'deleted',
      refused: (refusal) => request.render(deletionPage(request, kind, data, version, refusal)),
    })
  })
}

const paramsOf = ({ params }: DeskRequest, { idName }: SettingsKind) => ({ [idName]: params.id! })

const readOne = (request: DeskRequest, kind: SettingsKind) =>
  request.readRecord<SettingsRecord>(kind.operations.read, paramsOf(request, kind))

async function loadList(
  request: DeskRequest,
  { operations, listKey }: SettingsKind,
): Promise<readonly SettingsRecord[]> {
  const answer = await request.read<Record<string, readonly SettingsRecord[]>>(operations.list)
  return answer[listKey]!
}

async function renderLists(
  request: DeskRequest,
  section: SettingsKind['section'],
  refusal?: Pick<Refusal, 'status' | 'message'>,
) {
  const kinds = settingsKinds.filter((kind) => kind.section === section)
  const lists = await Promise.all(kinds.map(async (kind) => ({ kind, records: await loadList(request, kind) })))
  return request.render(recordListPage(request, section, lists, refusal))
}

const newForm = ({ fields }: SettingsKind): URLSearchParams =>
  new URLSearchParams(Object.fromEntries(fields.map(({ name, usual }) => [name, usual])))

const formOf = (kind: SettingsKind, record: SettingsRecord): URLSearchParams =>
  new URLSearchParams(Object.fromEntries(editedFields(kind).map(({ name, textOf }) => [name, textOf(record)])))

/** What was refused, beside its field where it has one. */
function problemOf({ fields }: SettingsKind, { status, message }: Refusal) {
  const labels: Labels = Object.fromEntries(
    fields.map(({ name, label }) => [name, `${label[0]!.toLowerCase()}${label.slice(1)}`]),
  )
  return { status, problem: inWords(message, labels) }
}

/**
 * The order that was dragged, or one moved up or down. All of it is written, in one sequence of locks: of two who do so
 * at once the later one is right altogether.
 */
async function putInOrder(request: DeskRequest, kind: SettingsKind, done: string) {
  const { form } = request
  const records = await loadList(request, kind)
  const ids = records.map(({ id }) => id)
  const wanted = form.get('order')?.split(' ') ?? moved(ids, form.get('move') ?? '', form.has('down') ? 1 : -1)
  const isStale = form.get('seen') !== ids.join(' ') || [...wanted].sort().join(' ') !== [...ids].sort().join(' ')
  if (isStale) {
    const message = 'Somebody changed this list meanwhile. Look at it, then put it in order again'
    if (request.isScript) throw new ApiError(412, message, { code: 'PRECONDITION_FAILED' })
    return renderLists(request, kind.section, { status: 412, message: `${message}.` })
  }
  const performed = await request.performAll(async (perform) => {
    for (const { id, name } of [...records].sort((a, b) => (a.id < b.id ? -1 : 1)))
      await perform({
        operation: kind.operations.update,
        params: { [kind.idName]: id },
        body: { index: wanted.indexOf(id) },
        subject: `${kind.noun} ${name}`,
      })
  })
  return request.answer(performed, {
    to: `/settings/${kind.section}`,
    done,
    more: { order: wanted.join(' '), words: flashMessages[done] },
  })
}

function moved(ids: readonly string[], id: string, by: number): string[] {
  const at = ids.indexOf(id)
  const others = ids.filter((one) => one !== id)
  return at < 0 ? others : others.toSpliced(Math.max(0, at + by), 0, id)
}
