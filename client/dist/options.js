// What every method takes last, and what a client is made with.
export {};
