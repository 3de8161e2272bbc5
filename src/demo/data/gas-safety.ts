// The form that an engineer fills in at a gas boiler before the job can be closed, and the rule that requires it.
import type { FormField, SignatureRole } from '../../domain/forms.ts'
import type { FormGate } from '../../domain/gates.ts'

const field = (id: string, label: string, type: FormField['type'], options: readonly string[] = []): FormField => ({
  id,
  label,
  type,
  required: type !== 'section',
  options,
})
const optional = (one: FormField): FormField => ({ ...one, required: false })

export const gasSafety = {
  name: 'Gas safety record',
  description: 'For every boiler we work on: what was checked, what was measured, and whether it may be used.',
  version: 1,
  status: 'published',
  fields: [
    field('appliance', 'Appliance', 'section'),
    field('location', 'Location', 'text'),
    field('flueType', 'Flue type', 'choice', ['Room sealed', 'Open flue', 'Flueless']),
    field('measured', 'Measurements', 'section'),
    field('operatingPressure', 'Operating pressure in mbar', 'number'),
    field('heatInput', 'Heat input in kW', 'number'),
    field('coRatio', 'Combustion ratio CO/CO₂', 'number'),
    optional(field('analyserPrintout', 'Photo of the analyser’s printout', 'photo')),
    field('checked', 'Checks', 'section'),
    field('safetyDevices', 'Safety devices work', 'boolean'),
    field('ventilation', 'Ventilation is sufficient', 'boolean'),
    field('flueCondition', 'Flue and terminal are sound', 'boolean'),
    optional(
      field('tests', 'Tests carried out', 'multiChoice', ['Tightness', 'Flue flow', 'Spillage', 'Let-by', 'CO alarm']),
    ),
    field('result', 'Result', 'section'),
    field('classification', 'Classification', 'choice', ['Safe to use', 'At risk', 'Immediately dangerous']),
    optional(field('defects', 'Defects found and what was done', 'text')),
    field('nextDue', 'Next check due', 'date'),
  ] satisfies FormField[],
  signatureRoles: ['technician', 'customer'] satisfies SignatureRole[],
} as const

export const boilerRule = {
  name: 'Boilers need a gas safety record',
  gate: 'completion' satisfies FormGate,
  match: { serviceIds: [], deviceTypes: ['Boiler'], assetCategoryIds: [], recurringScheduleIds: [] },
} as const

/** What the engineer finds out on the way in. */
export const firstAnswers = { location: 'Kitchen cupboard', flueType: 'Room sealed', operatingPressure: 20.4 }

/** CO2 9.6 %, CO 196 ppm, ratio 0.0021. */
const printout = `data:image/png;base64,${[
  'iVBORw0KGgoAAAANSUhEUgAAAHAAAAA4AQAAAAANkEHnAAAAu0lEQVR42sWRoRHEMAwEwwJdSqBLMXxo+FDQMFAlCH4ZKcEluARDw3vJcTLz8y',
  'gkMduRdHPnm/DzpvuQmQFGhu9IRABhw9IxUTNMqAMzsMKhDNyA1tf32wRUIXyG8gyIMOK9if4CAoXzgZZPzDdGBJ2qb+eWE1enW+HERjoNx22p',
  '+h0pHMqs+QY+FdDxrE7YmizdZCmknWiTcmJEjM2mbjYMCCEbvvrUw/vN8L3fijY5pExZtEl+MOAF/AKKZ8C3yq/H/wAAAABJRU5ErkJggg==',
].join('')}`

/** What is known when the work is done; the next check is due in a year. */
export const lastAnswers = (nextDue: string) => ({
  ...firstAnswers,
  heatInput: 24.1,
  coRatio: 0.0021,
  analyserPrintout: printout,
  safetyDevices: true,
  ventilation: true,
  flueCondition: true,
  tests: ['Tightness', 'Flue flow', 'CO alarm'],
  classification: 'Safe to use',
  nextDue,
})
