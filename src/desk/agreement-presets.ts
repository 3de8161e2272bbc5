// Presets: what agreements are begun from. They are kept from an agreement, renamed here, and deleted.
import { html } from '../http/html.ts'
import type { Preset } from './agreement-data.ts'
import { agreementLabels, durationWords } from './agreement-fields.ts'
import { changeRecord } from './changes.ts'
import { conflictView } from './conflict-view.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { emptyNote } from './marks.ts'
import type { Refusal } from './perform.ts'
import { wordRefusal } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

const write = ['recurring-schedules:write'] as const
const idOf = ({ params }: DeskRequest) => ({ presetId: params.preset! })

export function addAgreementPresetRoutes(router: DeskRouter): void {
  router.get('/recurring/presets', write, async (request) => {
    const { recurringPresets } = await request.read<{ recurringPresets: Preset[] }>('listRecurringPresets', {
      query: { limit: 100 },
    })
    return request.render(listView(request, recurringPresets))
  })
  router.get('/recurring/presets/:preset', write, async (request) => {
    const { data, version } = await request.readRecord<Preset>('getRecurringPreset', idOf(request))
    return request.render(presetView(request, data, version))
  })
  router.post('/recurring/presets/:preset', write, async (request) => {
    const { data, version } = await request.readRecord<Preset>('getRecurringPreset', idOf(request))
    const changed = await changeRecord<Preset>(request, {
      read: 'getRecurringPreset',
      operation: 'updateRecurringPreset',
      params: idOf(request),
      subject: `preset ${data.name}`,
      fields: [{ name: 'name', label: 'Name', textOf: ({ name }) => name, bodyOf: (name) => ({ name }) }],
    })
    if (changed && !changed.isDone && changed.refusal === undefined)
      return request.render(
        conflictView(request, {
          title: data.name,
          conflict: changed.conflict,
          action: `/recurring/presets/${data.id}`,
          back: '/recurring/presets',
          say: (_, value) => value,
          isText: () => true,
          place: 'recurring',
        }),
      )
    const performed = changed ?? { isDone: true as const, data: null, version: undefined }
    return request.answer(wordRefusal<unknown>(performed, agreementLabels), {
      to: '/recurring/presets',
      done: 'saved',
      refused: (refusal) => request.render(presetView(request, data, version, refusal)),
    })
  })
  router.post('/recurring/presets/:preset/delete', ['recurring-schedules:delete'], async (request) => {
    const { data } = await request.readRecord<Preset>('getRecurringPreset', idOf(request))
    const performed = await request.perform({
      operation: 'deleteRecurringPreset',
      params: idOf(request),
      version: request.form.get('version') || undefined,
      subject: `preset ${data.name}`,
    })
    return request.answer(performed, { to: '/recurring/presets', done: 'deleted' })
  })
}

function listView({ href }: DeskRequest, presets: readonly Preset[]): View {
  const row = ({ id, name, serviceRequired, durationMinutes }: Preset) =>
    html`<li id="p-${id}"><a href="${href(`/recurring/presets/${id}`)}"><span class="grow cut">${name}</span><span class="soft small cut">${[serviceRequired, durationMinutes && durationWords(durationMinutes)].filter(Boolean).join(', ')}</span></a></li>`
  return {
    title: 'Presets',
    place: 'recurring',
    body: html`${pageHead('Presets', { crumbs: [[href('/recurring'), 'Agreements']], actions: mainButton(href('/recurring/new'), 'New agreement', 'plus') })}
<section class="card narrow" data-live="recurring-presets" aria-label="Presets">${presets.length > 0 ? html`<ul class="list">${presets.map(row)}</ul>` : emptyNote('No presets yet', 'On the page of an agreement, “Keep as a preset” has its rule, work and lines ready for the next one.')}</section>`,
  }
}

function presetView(request: DeskRequest, preset: Preset, version: string | undefined, refusal?: Refusal): View {
  const { href, csrfField, form, may } = request
  const path = `/recurring/presets/${preset.id}`
  return {
    title: preset.name,
    place: 'recurring',
    ...(refusal && { status: refusal.status }),
    body: html`${pageHead(preset.name, {
      crumbs: [
        [href('/recurring'), 'Agreements'],
        [href('/recurring/presets'), 'Presets'],
      ],
    })}
<div class="stack narrow">${refusal && html`<p class="note danger" role="alert">${icon('warning')}<span>${refusal.message}</span></p>`}<form class="card pad stack" method="post" action="${href(path)}">${csrfField}<input type="hidden" name="version" value="${version ?? ''}"><input type="hidden" name="was.name" value="${preset.name}"><label class="field"><span>Name</span><input name="name" maxlength="120" required value="${form.get('name') ?? preset.name}"></label><p class="soft small">Its rule, work and lines are those of the agreement it was kept from. Agreements begun from it are not changed by it.</p><div class="row"><button class="btn main">Save</button></div></form>
${may('recurring-schedules:delete') && html`<form method="post" action="${href(`${path}/delete`)}">${csrfField}<input type="hidden" name="version" value="${version ?? ''}"><button class="btn quiet danger">Delete the preset</button></form>`}</div>`,
  }
}
