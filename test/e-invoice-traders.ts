// Shops and customers in the countries whose rules differ, with numbers that are right.
import type { SourceInvoice } from '../src/domain/e-invoice/source.ts'

interface Trader {
  readonly countryCode: string
  readonly vatId: string
  readonly iban: string
  readonly bic: string
  readonly address: string
  readonly electronicAddress: { readonly scheme: string; readonly value: string }
}

export const traders: Readonly<Record<string, Trader>> = {
  BE: {
    countryCode: 'BE',
    vatId: 'BE0123456749',
    iban: 'BE68539007547034',
    bic: 'GKCCBEBB',
    address: 'Grote Markt 1\n1000 Brussel',
    electronicAddress: { scheme: '0208', value: '0123456749' },
  },
  DE: {
    countryCode: 'DE',
    vatId: 'DE123456789',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    address: '3 Hafenstraße\n20457 Hamburg',
    electronicAddress: { scheme: '9930', value: 'DE123456789' },
  },
  DK: {
    countryCode: 'DK',
    vatId: 'DK12345678',
    iban: 'DK5000400440116243',
    bic: 'DABADKKK',
    address: 'Havnegade 3\n1058 København',
    electronicAddress: { scheme: '0184', value: 'DK12345678' },
  },
  FR: {
    countryCode: 'FR',
    vatId: 'FR12345678901',
    iban: 'FR1420041010050500013M02606',
    bic: 'PSSTFRPP',
    address: '1 rue de la Paix\n75002 Paris',
    electronicAddress: { scheme: '0009', value: '12345678900012' },
  },
  IS: {
    countryCode: 'IS',
    vatId: 'IS12345',
    iban: 'IS140159260076545510730339',
    bic: 'NBIIISRE',
    address: 'Laugavegur 1\n101 Reykjavík',
    electronicAddress: { scheme: '0196', value: '4802692679' },
  },
  IT: {
    countryCode: 'IT',
    vatId: 'IT12345670017',
    iban: 'IT60X0542811101000000123456',
    bic: 'BCITITMM',
    address: 'Via Roma 1\n00184 Roma',
    electronicAddress: { scheme: '0211', value: 'IT12345670017' },
  },
  NL: {
    countryCode: 'NL',
    vatId: 'NL123456789B01',
    iban: 'NL91ABNA0417164300',
    bic: 'ABNANL2A',
    address: 'Damrak 1\n1012 LG Amsterdam',
    electronicAddress: { scheme: '0106', value: '12345678' },
  },
  NO: {
    countryCode: 'NO',
    vatId: 'NO974760673MVA',
    iban: 'NO9386011117947',
    bic: 'DNBANOKK',
    address: 'Karl Johans gate 1\n0154 Oslo',
    electronicAddress: { scheme: '0192', value: '974760673' },
  },
  SE: {
    countryCode: 'SE',
    vatId: 'SE556036079301',
    iban: 'SE4550000000058398257466',
    bic: 'ESSESESS',
    address: 'Storgatan 1\n111 22 Stockholm',
    electronicAddress: { scheme: '0007', value: '5560360793' },
  },
}

/** The sides of an invoice from one country to another. */
export const between = (
  { organisation, customer }: SourceInvoice,
  [seller, buyer]: readonly [string, string],
): Pick<SourceInvoice, 'organisation' | 'customer'> => {
  const { iban: _, bic: __, ...side } = traders[buyer]!
  return { organisation: { ...organisation, ...traders[seller] }, customer: { ...customer, ...side } }
}
