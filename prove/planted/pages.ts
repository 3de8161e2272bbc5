// Faults in what strangers open: text on pages, shared documents, calendars.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const share = ['src/public/share-page.test.ts']
const page = ['src/rendering/page.test.ts']
const html = ['src/http/html.test.ts']
const feed = ['src/public/calendar-feed.test.ts']

export const pages: readonly Mutant[] = [
  {
    control: 'what people typed is text on a page',
    file: 'src/http/html.ts',
    find: "if (typeof part === 'string') return escapeHtml(part)",
    replace: "if (typeof part === 'string') return part",
    tests: html,
  },
  {
    control: 'what people typed does not end an attribute',
    file: 'src/http/html.ts',
    find: '/[&<>"\']/g',
    replace: '/[&<>]/g',
    tests: html,
  },
  {
    control: 'a shared page loads and runs nothing from elsewhere',
    file: 'src/rendering/page.ts',
    find: '"default-src \'none\'",',
    replace: '',
    tests: share,
  },
  {
    control: 'a shared page is found by nobody',
    file: 'src/rendering/page.ts',
    find: "'x-robots-tag': 'noindex, nofollow',",
    replace: '',
    tests: page,
  },
  {
    control: 'a shared page is kept by nobody',
    file: 'src/rendering/page.ts',
    find: "'cache-control': 'no-store',",
    replace: '',
    tests: page,
  },
  {
    control: 'a shared page tells nobody where it was',
    file: 'src/rendering/page.ts',
    find: "'referrer-policy': 'no-referrer',",
    replace: '',
    tests: page,
  },
  {
    control: 'looking at a quote does not accept it',
    file: 'src/public/share-page.ts',
    find: 'recordView(createCustomerContext(transaction, shared), shared),',
    replace:
      "answerQuote(createCustomerContext(transaction, shared), shared.documentId, request.params.token, { isAccepted: true, name: 'Anybody', reason: null, signature: null, address: '' }).then(() => recordView(createCustomerContext(transaction, shared), shared)),",
    tests: share,
  },
  {
    control: 'an answer comes from the form of its page',
    file: 'src/public/share-page.ts',
    find: "if (!isSameToken(form.csrf ?? '', csrfToken(request.params.token)))",
    replace: 'if (false)',
    tests: share,
  },
  {
    control: 'a link that has expired opens nothing',
    file: 'src/resources/billing/shared-document.ts',
    find: 'where token_hash = ${hashShareToken(token)} and (expires_at is null or expires_at > now())`',
    replace: 'where token_hash = ${hashShareToken(token)}`',
    tests: share,
  },
  {
    control: 'a link that is removed while an answer is on its way takes none',
    file: 'src/resources/quotes/answer.ts',
    find: "if (!(await ctx.query(selectSharedDocument(token)))) throw notFound('quote')",
    replace: '',
    tests: share,
  },
  {
    control: 'an answer to a quote that has expired comes too late',
    file: 'src/resources/quotes/answer.ts',
    find: 'if (!isAnswerable(quote.status) || quote.isExpired) return false',
    replace: 'if (!isAnswerable(quote.status)) return false',
    tests: share,
  },
  {
    control: 'the address of a quote is told to those who may change it',
    file: 'src/resources/billing/share-link.ts',
    find: 'ctx.caller.scopes.has(requiredScope) ? decryptToken(ctx, link.url) : undefined',
    replace: 'decryptToken(ctx, link.url)',
    tests: share,
  },
  {
    control: 'shared pages are not tried out at speed',
    file: 'src/public/share-page.ts',
    find: 'if (await isRateLimited(reply, limits.page(clientAddress(request)))) return reply',
    replace: '',
    tests: share,
  },
  {
    control: 'the calendar of a member who left is not found',
    file: 'src/identity/calendar-feeds.ts',
    find: '(feed.member_id is null or member.is_active)',
    replace: 'true',
    tests: feed,
  },
  {
    control: 'addresses of calendars are not tried out at speed',
    file: 'src/public/calendar-feed.ts',
    find: 'if (isOver) throw tooManyRequests(',
    replace: 'if (false) throw tooManyRequests(',
    tests: feed,
  },
]
