// One visit of an agreement: moved, made longer or shorter, alone or with all later ones, and skipped.
import { minuteMs } from '../domain/durations.ts'
import { isInSeries, moveSeries } from '../domain/series-moves.ts'
import { isClockTime, isDate, toMoment } from '../domain/wall-clock.ts'
import { notFound } from '../operations/errors.ts'
import { selectOccurrence } from '../resources/recurring/one-occurrence.ts'
import type { Occurrence } from '../resources/recurring/record.ts'
import { type Agreement, loadAgreement, seriesOf, shapeText } from './agreement-data.ts'
import { agreementLabels, minutesBetween } from './agreement-fields.ts'
import { type AgreementVisit, agreementVisitView, isReshapeable, type VisitWindow } from './agreement-visit-view.ts'
import { type Changed, changeRecord } from './changes.ts'
import type { Performed, Refusal } from './perform.ts'
import { wordRefusal } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { refused } from './visit-lookup.ts'

const write = ['recurring-schedules:write'] as const

export function addAgreementVisitRoutes(router: DeskRouter): void {
  router.get('/recurring/:id/visits/:index', write, async (request) =>
    request.render(agreementVisitView(request, await loadVisit(request))),
  )

  router.post('/recurring/:id/visits/:index', write, async (request) => {
    const page = await loadVisit(request)
    const times = typedTimes(request.form, page)
    const performed =
      typeof times === 'string'
        ? refused(times)
        : wasMoved(request.form, page)
          ? staleVisit
          : request.form.get('which') === 'later'
            ? await moveWithLater(request, page, times)
            : await moveAlone(request, page, times)
    return answerOn(request, page, performed, 'visitMoved')
  })

  router.post('/recurring/:id/visits/:index/skip', write, async (request) => {
    const page = await loadVisit(request)
    const reason = request.form.get('reason')?.trim() ?? ''
    const performed = await request.perform({
      operation: 'skipOccurrence',
      params: occurrenceParams(page),
      body: reason === '' ? {} : { reason },
      subject: subjectOf(page),
    })
    return answerOn(request, page, performed, 'skipped')
  })
}

async function loadVisit(request: DeskRequest): Promise<AgreementVisit> {
  const { orgId, database, params } = request
  const index = params.index!
  if (!/^\d{1,6}$/.test(index)) throw notFound('visit')
  const { sql, decode } = selectOccurrence({ orgId }, params.id!, Number(index))
  const [agreement, rows] = await Promise.all([loadAgreement(request), database.read(orgId, sql)])
  return { ...agreement, visit: decode(rows as never[]).visit }
}

const occurrenceParams = ({ record, visit }: AgreementVisit) => ({
  scheduleId: record.id,
  index: String(visit.index),
})
const subjectOf = ({ name, clock, visit }: AgreementVisit): string =>
  `visit of agreement ${name} on ${clock.date(visit.from)}`

/** Clocks on the wall are meant, where the agreement is. */
function typedTimes(form: URLSearchParams, { record }: AgreementVisit): VisitWindow | string {
  const [day, time, minutes] = ['day', 'time', 'minutes'].map((name) => (form.get(name) ?? '').trim())
  if (!isDate(day) || !isClockTime(time)) return 'Choose a day and a time.'
  if (!/^\d{1,5}$/.test(minutes!) || Number(minutes) < 5 || Number(minutes) > 10_080)
    return 'How long it takes must be from 5 to 10080 minutes.'
  const from = toMoment(day, time, record.timeZone)
  return { from, to: new Date(+from + Number(minutes) * minuteMs) }
}

/** Somebody else was quicker: the form was made from other times. */
const wasMoved = (form: URLSearchParams, { visit }: AgreementVisit): boolean =>
  form.has('was') && form.get('was') !== `${visit.from.toISOString()}/${visit.to.toISOString()}`

const staleVisit: Performed<never> = {
  isDone: false,
  refusal: {
    status: 412,
    message: 'Somebody moved this visit while you were writing. What it is now stands above; save again to keep yours.',
    code: 'PRECONDITION_FAILED',
    data: undefined,
  },
}

async function moveAlone(
  request: DeskRequest,
  page: AgreementVisit,
  { from, to }: VisitWindow,
): Promise<Performed<unknown>> {
  const { visit } = page
  const act = { params: occurrenceParams(page), subject: subjectOf(page) }
  if (+from !== +visit.from)
    return request.perform({
      ...act,
      operation: 'moveOccurrence',
      body: { from: from.toISOString(), to: to.toISOString() },
    })
  if (+to === +visit.to) return { isDone: true, data: null, version: undefined }
  return request.perform({ ...act, operation: 'resizeOccurrence', body: { durationMinutes: minutesBetween(from, to) } })
}

/** The agreement in another shape from this visit on; whoever changed its shape meanwhile is not overruled. */
async function moveWithLater(
  request: DeskRequest,
  page: AgreementVisit,
  times: VisitWindow,
): Promise<Performed<unknown>> {
  const { record, visit, name } = page
  const series = seriesOf(record)
  if (!isReshapeable(page) || !isInSeries(series, visit.originalFrom))
    return refused('This visit is no longer part of the rule. Change the agreement itself, under Edit.')
  const next = moveSeries(series, visit.originalFrom, times)
  if (!next)
    return refused(
      'The rule has several days, and it cannot be told which of them move along. Change the rule itself, under Edit.',
    )
  request.form.set('shape', shapeText(next))
  request.form.set('was.shape', request.form.get('was.shape') ?? shapeText(series))
  const changed = await changeRecord<Agreement>(request, {
    read: 'getRecurringSchedule',
    operation: 'updateRecurringSchedule',
    params: { scheduleId: record.id },
    query: { resync: 'thisAndFuture' },
    subject: `agreement ${name}`,
    fields: [
      {
        name: 'shape',
        label: 'Rule',
        textOf: (one) => shapeText(seriesOf(one)),
        bodyOf: (typed) => JSON.parse(typed) as Record<string, unknown>,
      },
    ],
  })
  const performed = toPerformed(changed)
  if (performed.isDone) await skipOld(request, page, times)
  return performed
}

const toPerformed = (changed: Changed<Agreement> | undefined): Performed<unknown> => {
  if (changed === undefined) return { isDone: true, data: null, version: undefined }
  if (changed.isDone || changed.refusal) return changed
  const message = 'Somebody changed the rule of the agreement meanwhile. Look at it, then move the visit again.'
  return { isDone: false, refusal: { status: 412, message, code: 'PRECONDITION_FAILED', data: undefined } }
}

/**
 * The new series begins with the visit at its new time. Was that later, the old place lies before the series and stays
 * planned, so it is left out by itself. A visit on which somebody worked stays: it is theirs.
 */
async function skipOld(request: DeskRequest, page: AgreementVisit, { from }: VisitWindow): Promise<void> {
  const { visit } = page
  if (from <= visit.from) return
  const { occurrences } = await request.read<{ occurrences: Occurrence[] }>('listOccurrences', {
    params: { scheduleId: page.record.id },
    query: { from: visit.from.toISOString(), to: from.toISOString(), limit: 100 },
  })
  const left = occurrences.find(
    ({ index, originalFrom, status }) =>
      index === visit.index &&
      Date.parse(originalFrom) === +visit.originalFrom &&
      (status === 'planned' || status === 'generated'),
  )
  if (left)
    await request.perform({
      operation: 'skipOccurrence',
      params: occurrenceParams(page),
      body: { reason: 'Moved, with all later ones' },
      subject: subjectOf(page),
    })
}

function answerOn(request: DeskRequest, page: AgreementVisit, performed: Performed<unknown>, done: string) {
  const explain = (refusal: Refusal): Refusal =>
    refusal.code === 'OCCURRENCE_NOT_GENERATED'
      ? {
          ...refusal,
          message:
            'This visit has no job yet, so it cannot be moved by itself. Make its job first, below, or move all later ones with it.',
        }
      : refusal.code === 'OCCURRENCE_WORKED'
        ? { ...refusal, message: 'Somebody has begun its job, so it cannot be skipped. Close the job, or move it.' }
        : refusal
  return request.answer(wordRefusal(performed, agreementLabels), {
    to: `/recurring/${page.record.id}`,
    done,
    more: { ids: [page.record.id] },
    refused: (refusal) => request.render(agreementVisitView(request, page, explain(refusal))),
  })
}
