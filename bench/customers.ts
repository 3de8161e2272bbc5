// Made-up customers, varied as real ones are: names repeat, some are businesses, many leave fields empty.
import type { Random } from '../src/demo/build/random.ts'

/** The fields a create sends. */
export interface Customer {
  readonly firstName: string
  readonly lastName: string
  readonly email: string | null
  readonly phone: string | null
  readonly businessName: string | null
  readonly address: string | null
  readonly notes: string | null
}

export function randomCustomer(rng: Random): Customer {
  const { email, phone, businessName, address, notes, ...name } = randomFullCustomer(rng)
  const mostly = <T>(tenths: number, value: T) => (rng.below(10) < tenths ? value : null)
  return {
    ...name,
    email: mostly(9, email),
    phone: mostly(8, phone),
    businessName: mostly(4, businessName),
    address: mostly(7, address),
    notes: mostly(3, notes),
  }
}

/** Every field filled in, as a form at the counter would send it. */
export function randomFullCustomer(rng: Random): Customer {
  const { below, pick } = rng
  const firstName = pick(firstNames)
  const lastName = pick(lastNames)
  const businessName = `${below(2) ? lastName : pick(places)} ${pick(trades)}${below(3) ? '' : ' Ltd'}`
  const host = below(2) ? pick(mailHosts) : asciiSlug(businessName).replaceAll(' ', '-')
  return {
    firstName,
    lastName,
    email: `${asciiSlug(firstName)}.${asciiSlug(lastName)}${below(2) ? 1 + below(99) : ''}@${host}.example`,
    phone: `+44 7${digits(rng, 3)} ${digits(rng, 6)}`,
    businessName,
    address: `${1 + below(240)} ${pick(streets)}\n${pick(places)} ${pick(postcodes)}${1 + below(28)} ${1 + below(9)}${pick(endings)}`,
    notes: pick(notes),
  }
}

const digits = ({ below }: Random, length: number) => String(below(10 ** length)).padStart(length, '0')

/** As an address would spell it: `O'Neill` is `oneill`. */
const asciiSlug = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, '')

const words = (text: string) => text.trim().split(/\s+/)

const firstNames = words(`
  Aaliyah Abigail Adam Adaeze Agnieszka Ahmed Aidan Aiko Aisha Alastair Alejandra Alice Amara Amelia Amir Ana Andrei
  Angus Anika Anna Arjun Arthur Astrid Aurélie Beatrice Benjamin Björn Bogdan Bridget Caleb Camille Carlos Catherine
  Charlotte Chidi Chloe Ciara Claudia Connor Daniel Daria David Deepa Diego Dmitri Edith Eleanor Elena Elif Emeka Emily
  Emre Esther Ethan Eva Fatima Felix Fiona Francesca Freya Gabriel George Giulia Grace Hamza Hannah Harriet Henrik Hugo
  Ibrahim Imogen Ines Ingrid Isaac Isla Ivan Jack Jamal Jasmine Javier Jessica Joanna João Jonas José Julia Kai Karim
  Katarzyna Kenji Kieran Kofi Lars Laura Layla Leon Lily Lucas Lucía Luka Magnus Maja Malik Marcus Margaret Maria
  Mateusz Matilda Mei Mia Michael Mohammed Morgan Nadia Naomi Natasha Niamh Nikhil Noah Nora Oliver Olivia Omar Orla
  Oscar Pablo Patrick Paula Penelope Peter Petra Philip Priya Quentin Rachel Rahul Rebecca Reza Richard Rosa Ruth Ryan
  Saanvi Samuel Sara Sean Sebastian Siobhán Sofia Søren Stella Stephen Sunita Tamara Tariq Theo Thomas Tobias Uma Ursula
  Victor Victoria Wei William Xin Yasmin Yuki Yusuf Zainab Zara Zoë Zuzanna`)

const lastNames = words(`
  Abbott Adeyemi Ahmed Akhtar Ali Allen Anderson Andersson Bailey Baker Banerjee Barker Bauer Begum Bell Bennett Bianchi
  Brennan Brooks Brown Burke Butler Byrne Campbell Carter Castro Chandra Chapman Chen Choudhury Clarke Collins Cooper
  Costa Cox Cunningham Davies Dawson Diaz Dixon Doherty Doyle Dubois Edwards Ellis Evans Farrell Fernandez Fischer Fisher
  Fitzgerald Fleming Foster Fraser Gallagher García Ghosh Gibson Gill Gonzalez Gordon Graham Grant Gray Green Griffiths
  Gupta Hall Hamilton Hansen Harris Harrison Hassan Hayes Henderson Hernandez Hoffmann Horvat Howard Hughes Hussain
  Ibrahim Ivanov Jackson Jansen James Jenkins Johansson Johnson Jones Joshi Kapoor Kaur Kelly Kennedy Khan Kowalski
  Kumar Lambert Larsen Lawson Lee Lewis Li Lindqvist Lopez Lynch MacDonald Mahmood Marshall Martin Martinez Mason
  Matthews McCarthy Mehta Meyer Miller Mitchell Mohamed Moore Morgan Morris Moreau Müller Murphy Murray Nakamura Nash
  Nguyen Nielsen Novak Nowak Nwosu O'Brien O'Connor O'Neill O'Sullivan Okafor Okonkwo Oliveira Olsen Osei Owen Palmer
  Papadopoulos Park Parker Patel Pearson Pereira Petrov Phillips Popescu Powell Price Quinn Rahman Ramirez Reddy Reid
  Reynolds Richards Roberts Robinson Rodríguez Rogers Romano Rossi Russo Ryan Sánchez Santos Schmidt Schneider Scott Shah
  Sharma Silva Simpson Singh Smith Sokolov Stewart Stone Suzuki Svensson Tanaka Taylor Thomas Thompson Turner Umar
  Vasquez Virtanen Walker Wallace Walsh Wang Ward Watson Weber White Williams Wilson Wójcik Wood Wright Yamamoto Yilmaz
  Young Zhang Zielinski`)

const trades = [
  ...words(`Bakery Plumbing Joinery Electrical Motors Cycles Garage Pharmacy Florist Catering Café Brewery Books
    Printing Textiles Interiors Landscapes Roofing Glazing Upholstery Butchers Fishmongers Opticians Jewellers Dental
    Veterinary Nursery Lettings Removals Storage Engineering Fabrication Surveyors Architects Accountants Solicitors`),
  'Dry Cleaning',
  'Estate Agents',
  'Farm Shop',
  'Taxi Service',
]
const places = words(`
  Leeds Bristol Harbour Riverside Northgate Westfield Kirkstall Headingley Ashby Brighton Camden Clifton Didsbury
  Durham Exeter Falmouth Glasgow Hackney Ipswich Jesmond Keswick Lancaster Ludlow Malvern Newport Norwich Oxford
  Penzance Quayside Ripon Salford Sheffield Truro Ullswater Wapping Whitby York`)
const streets = [
  'Mill Lane',
  'High Street',
  'Quay Street',
  'Station Road',
  'Church Walk',
  'Victoria Terrace',
  'The Green',
]
const postcodes = words('LS BS M NE YO BN EX NR S G')
const endings = words('AB AP BD DB EF GH JN QT RW XY')
const mailHosts = words('post mailbox inbox fastpost homemail letters')
const notes = [
  'Rings twice; the dog is friendly.',
  'Prefers a call in the afternoon. Parking is behind the building, code 4417.',
  'Pays by bank transfer within the week; send the invoice to the accounts address and not to the shop.',
  'Has a service agreement until next spring.',
  'Ask for the caretaker at the side entrance. The lift is out of order, so bring the trolley for heavy items.',
]
