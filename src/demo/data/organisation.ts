// The shop the sample data belongs to, and the person who runs it.

export const organisation = {
  name: 'Harbour Repairs',
  email: 'hello@harbour-repairs.example',
  phone: '020 7946 0018',
  website: 'https://harbour-repairs.example',
  address: '3 Quay Street\nLondon SE16 4DB',
  taxNumber: 'GB 123 4567 89',
  documentTerms: 'Warranties cover the part and our work. What is not collected within 60 days may be recycled.',
  paymentInstructions: 'Harbour Repairs, sort code 00-00-00, account 12345678. Quote the invoice number.',
}

export const admin = { email: 'robin@harbour-repairs.example', firstName: 'Robin', lastName: 'Hale' }
