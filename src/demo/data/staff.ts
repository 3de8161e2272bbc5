// Who works in the sample shop besides the person who runs it. None of them can sign in: they have no password.

export const manager = 'Niamh'

export const staff = [
  { firstName: manager, lastName: 'Byrne', role: 'manager', phone: '07700 900456', color: 4_284_955_319 },
  { firstName: 'Keisha', lastName: 'Grant', role: 'technician', phone: '07700 900461', color: 4_278_228_616 },
  { firstName: 'Tomasz', lastName: null, role: 'technician', phone: '07700 900472', color: 4_294_198_070 },
  { firstName: 'Alec', lastName: 'Moody', role: 'technician', isActive: false, phone: null, color: null },
] as const

export type Colleague = (typeof staff)[number]['firstName']

export const emailOf = (firstName: Colleague) => `${firstName.toLowerCase()}@harbour-repairs.example`
