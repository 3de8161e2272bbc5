// As many customers as wanted: the regulars first, then others put together from ordinary names.
import { type Customer, regularCustomers } from '../data/customers.ts'
import { deviceKinds } from '../data/devices.ts'
import { createRandom } from './random.ts'

const firstNames = list(`Aisha Alan Bronwen Bruno Carlos Cerys Dina Dmitri Edwin Esme Fiona Femi Gabriel Greta Hugo Hiba
  Ingrid Ivan Joan Jamal Kofi Katya Lena Liam Marek Mina Nia Noah Omar Oona Priya Pavel Rhys Ruth Selma Tariq Vera Yusuf`)
const lastNames =
  list(`Abbott Akhtar Bakshi Byrne Clarke Costa Dubois Dunn Evans Eriksen Forde Fisher Green Gupta Hughes
  Hassan Ito Irving Jensen Jones Kaur Kelly Lowe Lopez Mbeki Murray Nowak Novak Patel Price Quist Rossi Silva Tran Ward`)
const businesses = ['Bistro', 'Books', 'Dental Practice', 'Florists', 'Garage', 'Guest House', 'Laundry', 'Yoga']
const streets = ['Anchor Road', 'Bell Lane', 'Castle Street', 'Dean Lane', 'Elm Grove', 'Ford Close', 'Gas Lane']

/** The same customer for the same index, each time. */
export function customerFor(index: number): Customer {
  const regular = regularCustomers[index]
  if (regular) return regular
  const { below, pick } = createRandom(index)
  const [firstName, lastName] = [pick(firstNames), pick(lastNames)]
  const isBusiness = below(4) === 0
  const lastDigits = String(below(1_000)).padStart(3, '0')
  return {
    firstName,
    lastName,
    ...(isBusiness && { businessName: `${lastName} ${pick(businesses)}` }),
    email: `${firstName}.${lastName}${index}@mail.example`.toLowerCase(),
    phone: isBusiness ? `020 7946 0${lastDigits}` : `07700 900${lastDigits}`,
    address: `${1 + below(120)} ${pick(streets)}\nLondon SE${1 + below(28)} ${1 + below(9)}AB`,
    owns: Array.from({ length: below(4) + (isBusiness ? 1 : 0) }, () => pick(deviceKinds)),
  }
}

function list(names: string): string[] {
  return names.split(/\s+/)
}
