// The pages on which an agreement is made or changed, with what was typed, the next ten visits and what was refused.
import { seriesWords } from '../domain/series-words.ts'
import { type Html, html } from '../http/html.ts'
import { notFound } from '../operations/errors.ts'
import { type AgreementPage, loadSurroundings } from './agreement-data.ts'
import { agreementFields, agreementLabels, nextVisits, typedSeries } from './agreement-fields.ts'
import { type AgreementForm, agreementFormView, type Preview } from './agreement-form-view.ts'
import { conflictView } from './conflict-view.ts'
import { createClock } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import { fieldWords } from './job-fields.ts'
import { onceField } from './once.ts'
import type { Refusal } from './perform.ts'
import { inWords } from './refusal-words.ts'
import type { DeskRequest } from './router.ts'
import { loadSetup } from './shop-setup.ts'

export function previewOf(typed: URLSearchParams, timeZone: string): Preview {
  const series = typedSeries(typed, timeZone)
  if ('field' in series) return { wrong: sentence(series.words) }
  const now = new Date()
  return { words: seriesWords(series), visits: nextVisits(series, now), clock: createClock(timeZone, now) }
}

const sentence = (words: string): string => `${words[0]!.toUpperCase()}${words.slice(1)}.`

/** What was refused, beside its field where the form has one. */
function problemOf(
  refusal: Pick<Refusal, 'message'> | undefined,
  known?: { readonly field: string },
): AgreementForm['problem'] {
  if (!refusal) return undefined
  if (known) return { field: known.field, words: sentence(refusal.message) }
  const { field, words } = inWords(refusal.message, agreementLabels)
  return { field: refusal.message.startsWith('lineItems') ? 'lineItems' : field, words }
}

type Refused = Pick<Refusal, 'message' | 'status'>

export async function renderNew(
  request: DeskRequest,
  typed: URLSearchParams,
  customerId: string,
  refusal?: Refused,
  known?: { readonly field: string },
) {
  const { href, query, timeZone } = request
  const [around, setup] = await Promise.all([loadSurroundings(request, customerId), loadSetup(request)])
  if (!around.customer) throw notFound('customer')
  const { customer, presets } = around
  const presetForm =
    presets.length > 0 &&
    html`<form class="row find-row" action="${href('/recurring/new')}"><input type="hidden" name="customer" value="${customer.id}"><label class="row"><span class="soft">Begin with</span><select name="preset" aria-label="Preset"><option value="">no preset</option>${presets.map(({ id, name }) => html`<option value="${id}"${id === query.preset && html` selected`}>${name}</option>`)}</select></label><button class="btn">Fill in</button></form>`
  const title = `New agreement for ${customer.name}`
  return request.render({
    title,
    place: 'recurring',
    scripts: ['document', 'agreement'],
    ...(refusal && { status: refusal.status }),
    body: html`${pageHead(title, { crumbs: [[href('/recurring'), 'Agreements']] })}${presetForm}${agreementFormView(
      request,
      {
        typed,
        around,
        setup,
        preview: previewOf(typed, timeZone),
        problem: problemOf(refusal, known),
        action: '/recurring/new',
        button: 'Make the agreement',
        cancel: `/customers/${customer.id}`,
        hidden: html`<input type="hidden" name="customerId" value="${customer.id}"><input type="hidden" name="timeZone" value="${timeZone}">${onceField()}`,
      },
    )}`,
  })
}

export async function renderEdit(
  request: DeskRequest,
  page: AgreementPage,
  typed: URLSearchParams,
  refusal?: Refused & { readonly code?: string | undefined },
  known?: { readonly field: string },
) {
  const { href, form } = request
  const { record, version, name } = page
  const was = (field: string) =>
    form.get(`was.${field}`) ??
    agreementFields(record.timeZone)
      .find((one) => one.name === field)!
      .textOf(record)
  const isAsked = refusal?.code === 'SERIES_SHAPE_CHANGE'
  const body = agreementFormView(request, {
    typed,
    around: page,
    setup: await loadSetup(request),
    preview: previewOf(typed, record.timeZone),
    problem: isAsked
      ? {
          field: undefined,
          words:
            'This changes when visits take place, so visits to come have to change too. Choose that below, and save again.',
        }
      : problemOf(refusal, known),
    action: `/recurring/${record.id}`,
    button: 'Save',
    cancel: `/recurring/${record.id}`,
    hidden: html`<input type="hidden" name="version" value="${form.get('version') ?? version ?? ''}"><input type="hidden" name="timeZone" value="${record.timeZone}">${agreementFields(record.timeZone).map((field) => html`<input type="hidden" name="was.${field.name}" value="${was(field.name)}">`)}`,
    question: visitsQuestion(!isAsked && form.get('visits') === 'new'),
  })
  return request.render({
    title: `Edit ${name}`,
    place: 'recurring',
    scripts: ['document', 'agreement'],
    ...(refusal && { status: refusal.status }),
    body: html`${pageHead(`Edit ${name}`, {
      crumbs: [
        [href('/recurring'), 'Agreements'],
        [href(`/recurring/${record.id}`), name],
      ],
    })}${body}`,
  })
}

/** Jobs that somebody began, moved or skipped stay as they are in any case. */
const visitsQuestion = (isOnlyNew: boolean): Html =>
  html`<fieldset class="card pad stack-tight" id="visits"><legend class="sr">Which visits this is for</legend><h2>Which visits this is for</h2><label class="choice"><input type="radio" name="visits" value="later"${!isOnlyNew && html` checked`}>All visits to come, but for those that somebody has begun, moved or skipped</label><label class="choice"><input type="radio" name="visits" value="new"${isOnlyNew && html` checked`}>Only those whose job is not made yet</label></fieldset>`

export async function conflictPage(
  request: DeskRequest,
  { record, name }: AgreementPage,
  conflict: Parameters<typeof conflictView>[1]['conflict'],
): Promise<View> {
  const setup = await loadSetup(request)
  return conflictView(request, {
    title: name,
    conflict,
    action: `/recurring/${record.id}`,
    back: `/recurring/${record.id}`,
    say: (field, value) => fieldWords(field.name, value, setup),
    isText: (field) => ['name', 'serviceRequired', 'description'].includes(field.name),
    place: 'recurring',
  })
}
