// The commands that make, list and revoke the addresses at which calendars are subscribed to.
import { Type as t } from 'typebox'
import { id } from '../api/fields.ts'
import { createFeed, type Feed, feedLine, listFeeds, revokeFeed } from '../identity/calendar-feeds.ts'
import { act } from './acting.ts'
import { command } from './command.ts'
import { bold, fields, minute, table } from './layout.ts'
import { databaseWith, organisationId } from './organisations.ts'

export default [
  command('calendar feed create', {
    summary: 'Make an address at which a phone can subscribe to the calendar, shown only this once',
    options: {
      org: organisationId,
      member: t.Optional(id({ description: 'the id of the member whose calendar it is; everybody’s if not given' })),
    },
    example: '--org org_01kbx5… --member mem_01kbx6…',
    async run({ org, member = null }, ctx) {
      const { token, ...feed } = await act(
        org,
        ctx,
        (transaction) => createFeed(transaction, org, member),
        (made) => feedLine('feed.created', made),
      )
      return { ...feed, url: `${ctx.config().restOrigin}/calendar/${token}.ics` }
    },
    show: ({ url, ...feed }) =>
      [
        'The address is made.',
        '',
        `  ${bold(url)}`,
        '',
        'Whoever has it can read the calendar; this is the only time it is shown.',
        '',
        fields(shown(feed)),
      ].join('\n'),
  }),

  command('calendar feed list', {
    summary: 'List the calendar addresses of an organisation, newest first',
    options: { org: organisationId },
    run: async ({ org }, ctx) => ({ feeds: await listFeeds(await databaseWith(org, ctx), org) }),
    show({ feeds }) {
      if (feeds.length === 0) return 'There is no calendar address yet; make one with jobwright calendar feed create.'
      return table(
        Object.keys(shown(feeds[0]!)),
        feeds.map((feed) => Object.values(shown(feed))),
      )
    },
  }),

  command('calendar feed revoke', {
    summary: 'Shut a calendar address for ever',
    places: { feed: id({ description: 'the id of the feed' }) },
    options: { org: organisationId },
    example: 'fed_01kbx7… --org org_01kbx5…',
    run: ({ org, feed }, ctx) =>
      act(
        org,
        ctx,
        (transaction) => revokeFeed(transaction, org, feed),
        (shut) => feedLine('feed.revoked', shut),
      ),
    show: ({ id }) => `The address of ${id} is shut.`,
  }),
]

const shown = ({ id, memberName, createdAt, lastReadAt }: Feed) => ({
  Id: id,
  Calendar: memberName ?? 'everybody',
  Made: minute(createdAt, '–'),
  'Last read': minute(lastReadAt, 'never'),
})
