// The commands that make, list and revoke the addresses at which calendars are subscribed to.
import { createFeed, type Feed, feedAuditEntry, listFeeds, revokeFeed } from '../identity/calendar-feeds.ts'
import { id } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { runAudited } from './audit.ts'
import { command } from './command.ts'
import { bold, fields, minute, table } from './layout.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

export default [
  command('calendar feed create', {
    summary: 'Make an address at which a phone can subscribe to the calendar, shown only this once',
    options: {
      org: organisationId,
      member: t.Optional(id({ description: 'the id of the member whose calendar it is; everybody’s if not given' })),
    },
    example: '--org org_01kbx5… --member mem_01kbx6…',
    async run({ org, member = null }, ctx) {
      const { token, ...feed } = await runAudited(
        org,
        ctx,
        (transaction) => createFeed(transaction, org, member),
        (created) => feedAuditEntry('feed.created', created),
      )
      return { ...feed, url: `${ctx.config().restOrigin}/calendar/${token}.ics` }
    },
    render: ({ url, ...feed }) =>
      [
        'The address is made.',
        '',
        `  ${bold(url)}`,
        '',
        'Whoever has it can read the calendar; this is the only time it is shown.',
        '',
        fields(feedFields(feed)),
      ].join('\n'),
  }),

  command('calendar feed list', {
    summary: 'List the calendar addresses of an organisation, newest first',
    options: { org: organisationId },
    run: async ({ org }, ctx) => ({ feeds: await listFeeds(await databaseWithOrganisation(org, ctx), org) }),
    render({ feeds }) {
      if (feeds.length === 0) return 'There is no calendar address yet; make one with jobwright calendar feed create.'
      return table(
        Object.keys(feedFields(feeds[0]!)),
        feeds.map((feed) => Object.values(feedFields(feed))),
      )
    },
  }),

  command('calendar feed revoke', {
    summary: 'Shut a calendar address for ever',
    positionals: { feed: id({ description: 'the id of the feed' }) },
    options: { org: organisationId },
    example: 'fed_01kbx7… --org org_01kbx5…',
    run: ({ org, feed }, ctx) =>
      runAudited(
        org,
        ctx,
        (transaction) => revokeFeed(transaction, org, feed),
        (revoked) => feedAuditEntry('feed.revoked', revoked),
      ),
    render: ({ id }) => `The address of ${id} is shut.`,
  }),
]

const feedFields = ({ id, memberName, createdAt, lastReadAt }: Feed) => ({
  Id: id,
  Calendar: memberName ?? 'everybody',
  Made: minute(createdAt, '–'),
  'Last read': minute(lastReadAt, 'never'),
})
