// The page of an agreement and what is done with the whole of it: paused, resumed, ended, its jobs made, kept as a preset.
import { dayMs } from '../domain/durations.ts'
import { addDays, isCalendarDay, startOfDay } from '../domain/wall-clock.ts'
import { html } from '../http/html.ts'
import type { Occurrence } from '../resources/recurring/record.ts'
import { type AgreementPage, loadAgreement, paramsOf } from './agreement-data.ts'
import { agreementLabels } from './agreement-fields.ts'
import { linesText } from './agreement-lines.ts'
import { agreementQuestionView, agreementView } from './agreement-view.ts'
import { count } from './formatting.ts'
import type { Act, Performed, Refusal } from './perform.ts'
import { wordRefusal } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup } from './shop-setup.ts'

const write = ['recurring-schedules:write'] as const
/** A weekly visit for a quarter; who wants more looks further. */
const shownVisits = 13
const pastDays = 366

export function addAgreementRoutes(router: DeskRouter): void {
  router.get('/recurring/:id', ['recurring-schedules:read'], async (request) =>
    renderAgreement(request, await loadAgreement(request)),
  )

  const addAct = (
    path: string,
    done: string,
    act: (request: DeskRequest, page: AgreementPage) => Omit<Act, 'params' | 'subject'>,
  ) =>
    router.post(`/recurring/:id/${path}`, write, async (request) => {
      const page = await loadAgreement(request)
      const performed = await request.perform({
        params: paramsOf(request),
        subject: `agreement ${page.name}`,
        ...act(request, page),
      })
      return answerOn(request, page, performed, done)
    })
  addAct('pause', 'paused', (request, page) => ({
    operation: 'pauseRecurringSchedule',
    body: momentIn(request, page, 'until', 0),
  }))
  addAct('resume', 'resumed', () => ({ operation: 'resumeRecurringSchedule' }))
  addAct('generate', 'generated', (request, page) => ({
    operation: 'generateRecurringVisits',
    body: momentIn(request, page, 'through', 1),
  }))

  router.post('/recurring/:id/preset', write, async (request) => {
    const page = await loadAgreement(request)
    const {
      rrule,
      durationMinutes,
      horizonDays,
      serviceRequired,
      description,
      assignedTechnician,
      stationId,
      lineItems,
    } = page.record
    const name = (request.form.get('name') ?? '').trim()
    const performed = await request.perform({
      operation: 'createRecurringPreset',
      body: {
        ...{ name, rrule, durationMinutes, horizonDays, serviceRequired, description, assignedTechnician, stationId },
        lineItems: JSON.parse(linesText(lineItems)),
      },
      subject: `preset ${name}`,
    })
    return answerOn(request, page, performed, 'kept')
  })

  router.get('/recurring/:id/end', write, async (request) => renderEnd(request, await loadAgreement(request)))
  router.post('/recurring/:id/end', write, async (request) => {
    const page = await loadAgreement(request)
    const performed = await request.perform<{ removed: number; kept: number }>({
      operation: 'endRecurringSchedule',
      params: paramsOf(request),
      body: momentIn(request, page, 'endsAt', 1),
      subject: `agreement ${page.name}`,
    })
    return request.answer(wordRefusal(performed, agreementLabels), {
      to: `/recurring/${page.record.id}`,
      done: 'ended',
      more: { ids: [page.record.id] },
      refused: (refusal) => renderEnd(request, page, refusal),
    })
  })

  router.get('/recurring/:id/delete', ['recurring-schedules:delete'], async (request) =>
    renderDelete(request, await loadAgreement(request)),
  )
  router.post('/recurring/:id/delete', ['recurring-schedules:delete'], async (request) => {
    const page = await loadAgreement(request)
    const performed = await request.perform({
      operation: 'deleteRecurringSchedule',
      params: paramsOf(request),
      version: request.form.get('version') || undefined,
      subject: `agreement ${page.name}`,
    })
    return request.answer(performed, {
      to: '/recurring',
      done: 'deleted',
      refused: (refusal) => renderDelete(request, page, refusal),
    })
  })
}

/** The begin of a day that was chosen, or of the one after it: a last day counts. Nothing chosen sends nothing. */
function momentIn(
  { form }: DeskRequest,
  { record }: AgreementPage,
  name: string,
  daysLater: number,
): Record<string, string> {
  const day = form.get(name)?.trim() ?? ''
  if (day === '') return {}
  return { [name]: isCalendarDay(day) ? startOfDay(addDays(day, daysLater), record.timeZone).toISOString() : day }
}

function answerOn(request: DeskRequest, page: AgreementPage, performed: Performed<unknown>, done: string) {
  return request.answer(wordRefusal(performed, agreementLabels), {
    to: `/recurring/${page.record.id}`,
    done,
    more: { ids: [page.record.id] },
    refused: (refusal) => renderAgreement(request, page, refusal),
  })
}

async function renderAgreement(request: DeskRequest, page: AgreementPage, refusal?: Refusal) {
  const isPast = request.query.past !== undefined
  const now = page.clock.now
  const window = isPast
    ? { from: new Date(+now - pastDays * dayMs).toISOString(), to: now.toISOString(), limit: 100 }
    : { from: now.toISOString(), limit: shownVisits }
  const [setup, { occurrences }] = await Promise.all([
    loadSetup(request),
    request.read<{ occurrences: Occurrence[] }>('listOccurrences', { params: paramsOf(request), query: window }),
  ])
  return request.render(
    agreementView(request, {
      ...page,
      setup,
      visits: isPast ? occurrences.toReversed() : occurrences,
      isPast,
      refusal,
    }),
  )
}

function renderEnd(request: DeskRequest, page: AgreementPage, refusal?: Refusal) {
  return request.render(
    agreementQuestionView(request, page, {
      title: `End ${page.name}`,
      consequence: `It ends for good. Jobs of later visits that nobody has begun are deleted; what somebody worked on stays. ${count(page.record.generatedCount, 'visit has', 'visits have')} a job now.`,
      path: 'end',
      button: 'End it',
      inside: html`<label class="field"><span>Last day (today if left empty)</span><input type="date" name="endsAt" min="${page.clock.today}" value="${request.form.get('endsAt') ?? ''}"></label>`,
      refusal,
    }),
  )
}

function renderDelete(request: DeskRequest, page: AgreementPage, refusal?: Refusal) {
  return request.render(
    agreementQuestionView(request, page, {
      title: `Delete ${page.name}`,
      consequence:
        'It is gone for good, with the record of visits that were skipped. One whose visits have jobs cannot be deleted.',
      path: 'delete',
      button: 'Delete it',
      inside: html`<input type="hidden" name="version" value="${page.version ?? ''}">`,
      refusal:
        refusal?.code === 'SCHEDULE_IN_USE'
          ? { ...refusal, message: 'Its visits still have jobs. End it instead; what was done stays.' }
          : refusal,
    }),
  )
}
