// The command that shows every setting with the value in force.
import { describeSettings } from '../config.ts'
import { command } from './command.ts'
import { bold, dim, wrapped } from './layout.ts'

export default [
  command('settings', {
    summary: 'Show every setting with its value in force; secrets are masked',
    run: async (_, ctx) => ({ settings: describeSettings(ctx.config()) }),
    show: ({ settings }) =>
      settings
        .map(({ variable, value, default: otherwise, meaning }) =>
          [`${bold(variable)} = ${value || 'unset'}`, dim(wrapped(`${meaning} Default: ${otherwise}.`, '    '))].join(
            '\n',
          ),
        )
        .join('\n'),
  }),
]
