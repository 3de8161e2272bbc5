// Sending a quote or an invoice: the mail and the PDF are looked at first, exactly as they will go out.
import { selectMailPreview } from '../resources/billing/send.ts'
import { changedSince, given, pathOf, subjectOf } from './document-acts.ts'
import { type DocumentPage, loadDocument, operationsOf, paramsOf } from './document-data.ts'
import { documentLabels } from './document-fields.ts'
import type { DocumentKind } from './document-marks.ts'
import { mailView, type SentMail, sendView } from './document-send-view.ts'
import { wordRefusal } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

export function addDocumentSendRoutes(router: DeskRouter): void {
  for (const kind of ['quote', 'invoice'] as const) addRoutesOf(router, kind)
}

function addRoutesOf(router: DeskRouter, kind: DocumentKind): void {
  const write = `${kind}s:write` as const

  router.get(`/${kind}s/:id/send`, [write], async (request) => {
    const page = await loadDocument(request, kind)
    return request.render(sendView(request, page, await mailOf(request, page)))
  })

  router.post(`/${kind}s/:id/send`, [write], async (request) => {
    const page = await loadDocument(request, kind)
    const look = given(request, 'look')
    if (look === 'part') return request.fragment(mailView(await mailOf(request, page)))
    if (look !== '') return request.render(sendView(request, page, await mailOf(request, page)))
    const { to, subject, message } = wordsIn(request)
    const body = { ...(to && { to }), ...(subject && { subject }), ...(message && { message }) }
    const performed = await request.perform({
      operation: operationsOf[kind].send,
      params: paramsOf(kind, page.record.id),
      body,
      // Of what was changed since it was shown, nobody has seen the mail.
      version: given(request, 'version') || undefined,
      subject: `${subjectOf(page)}${to ? ` to ${to}` : ''}`,
    })
    const isStale = !performed.isDone && performed.refusal.code === 'PRECONDITION_FAILED'
    const said = isStale ? changedSince(performed.refusal, kind, 'send it') : performed
    return request.answer(wordRefusal(said, documentLabels), {
      to: pathOf(page),
      done: 'mailed',
      more: { ids: [page.record.id] },
      refused: async ({ message: words, status }) => {
        const now = await loadDocument(request, kind)
        return request.render(sendView(request, now, await mailOf(request, now), words, status))
      },
    })
  })
}

/** What was typed; what is left out is left to the service. */
function wordsIn(request: DeskRequest) {
  const typed = (name: string) => given(request, name) || null
  return { to: typed('to'), subject: typed('subject'), message: typed('message') }
}

/** Stands in the mail where its address will, which sending makes. */
const noAddressYet = 'https://address.invalid/'

/** The mail that sending would write with these words, of the document as it is now. */
async function mailOf(request: DeskRequest, { kind, record }: DocumentPage): Promise<SentMail> {
  const { orgId, database } = request
  const { to, subject, message } = wordsIn(request)
  const shareUrl = record.shareLink?.url ?? noAddressYet
  const { sql, decode } = selectMailPreview({ orgId }, kind, record.id, { subject, message, shareUrl })
  const mail = decode((await database.read(orgId, sql)) as never[])
  return {
    to: to ?? record.customerEmail ?? '',
    subject: mail.subject,
    message: message ?? '',
    text: mail.text.replace(noAddressYet, `(the address of the ${kind}, which is made when you send it)`),
  }
}
