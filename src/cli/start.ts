// The command that starts the service: what `npm start` does, from wherever the package is installed.
import { command } from './command.ts'

export default [
  command('start', {
    summary: 'Start the service; the first start makes a demo shop',
    async run() {
      await import('../main.ts')
      return new Promise<object>(() => {}) // it ends the process itself, when it is told to
    },
    render: () => '',
  }),
]
