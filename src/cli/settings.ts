// The command that shows every setting with the value in force.
import { describeSettings } from '../config/describe-settings.ts'
import { command } from './command.ts'
import { bold, dim, wrap } from './layout.ts'

export default [
  command('settings', {
    summary: 'Show every setting with its value in force; secrets are masked',
    run: async (_, ctx) => ({ settings: describeSettings(ctx.config()) }),
    render: ({ settings }) =>
      settings
        .map(({ variable, value, default: defaultValue, meaning }) =>
          [`${bold(variable)} = ${value || 'unset'}`, dim(wrap(`${meaning} Default: ${defaultValue}.`, '    '))].join(
            '\n',
          ),
        )
        .join('\n'),
  }),
]
