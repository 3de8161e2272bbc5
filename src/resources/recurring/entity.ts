// What recurring work is called where scopes are granted; schedules and presets share it.
import { entity } from '../../operations/scopes.ts'

export const recurringEntity = entity('recurring-schedules', {
  title: 'Recurring agreements',
  description: 'Work that comes round by itself: schedules, their visits, and presets to start from.',
  scopeObject: 'recurring schedules and presets',
})
