/**
 * What two English speakers of the search set tell each other: kinds of events, each with its things as lines of
 * "as it is told | as it is asked about | what came of it | a question that it answers only by inference".
 */
import { things } from './things.mjs';

const KINDS = [
  {
    name: 'trip',
    lead: [
      'My trip to {x} was {when}, I finally got away!',
      'I travelled to {x} {when}.',
      'Guess where I was {when}? At {x}, with a rucksack and no plan.',
      'Took the slow train to {x} {when}.',
    ],
    ask: ['How was the trip?', 'Lucky you. What stood out?', 'Tell me more about {k}!'],
    single: [
      'What does {who} remember best about the visit to {y}?',
      'What made the journey to {y} special for {who}?',
      "What happened during {who}'s stay at {y}?",
    ],
    temporal: ['When did {who} travel to {y}?', 'On what day was {who} visiting {y}?'],
    multi: ['Which places has {who} travelled to?', 'Where did {who} go on trips?'],
    caption: 'a narrow road with hills behind it',
    things: things(`
      the salt lagoons | the lagoon | a whole flock of flamingos landed beside our tent | Does {who} enjoy watching birds?
      the old mill village | a village of mills | the miller let me grind a bag of rye myself
      the lighthouse at Kerran Point | Kerran lighthouse | I counted two hundred and eleven steps to the top | Is {who} comfortable with heights?
      a cabin by the frozen lake | the wooden hut on the ice | our stove went out twice in one night
      the slate caves | the underground caverns | the guide switched off every lamp so that we could hear the dripping
      the border market | the bazaar at the frontier | I swapped my scarf for a jar of honey
      the dunes north of Tavel | Tavel's dunes | my shoes are still full of sand
      a vineyard in the Ostry valley | the Ostry winery | the owner taught us how to prune | Would a corkscrew be a fair present for {who}?
    `),
  },
  {
    name: 'class',
    lead: [
      'I am learning something new, {x}. I signed up {when}.',
      'My first evening of {x} was {when}, I was so nervous.',
      'So I have begun {x}. The opening session was {when}.',
      '{when} I tried {x} for the first time.',
    ],
    ask: ['Brave! What did you learn?', 'And, any good at {k}?', 'What does the teacher of {k} say?'],
    single: [
      'What was hard for {who} when learning {y}?',
      'How did the first evenings of {y} go for {who}?',
      'What did the teacher of {y} tell {who}?',
    ],
    temporal: ['When did {who} start learning {y}?', 'Since when has {who} been attending {y} lessons?'],
    multi: ['What courses has {who} taken?', 'Which new skills is {who} learning?'],
    caption: 'a workbench with tools laid out in rows',
    things: things(`
      a pottery class | ceramics | my bowl collapsed on the wheel three times | Does {who} mind getting dirty hands?
      bookbinding | binding books | she said my stitches were too tight for the spine
      a sign language course | signing | I mixed up the gestures for bread and brother | Could {who} talk with a deaf neighbour?
      fencing lessons | sword fighting | my knees hurt from standing so low
      beekeeping evenings | keeping bees | we smoked the hive far too much | Is {who} afraid of insects?
      a welding workshop | joining metal | the seam held although it looks like chewing gum
      accordion lessons | the accordion | the bellows are heavier than a toddler
      a first aid course | emergency care | the dummy's ribs cracked when I pressed
    `),
  },
  {
    name: 'pet',
    lead: [
      'I adopted {x} {when}.',
      'There is a new animal in the house, {x}, since I could not say no {when}.',
      'You will laugh, but I share the flat with {x} now, it all happened {when}.',
    ],
    ask: [
      'No way! What is the {k} like?',
      'Aww. Any trouble with the {k} so far?',
      'How is the new flatmate settling in?',
    ],
    single: [
      'What trouble did {y} cause for {who}?',
      'What does the {y} that {who} adopted like to do?',
      'How does {who} describe the {y}?',
    ],
    temporal: ['When did {who} adopt the {y}?', 'When did the {y} come to live with {who}?'],
    multi: ['Which animals does {who} own?', 'What pets have come to live with {who}?'],
    caption: 'a blanket on a sofa with something asleep under it',
    things: things(`
      a three-legged greyhound | dog | he steals socks and stacks them behind the boiler
      two rescue hens | chickens | they only lay when the radio is on | Does {who} have fresh eggs at breakfast?
      an elderly tortoise | reptile | she walks into the mirror every morning
      a one-eyed tomcat | cat | he sleeps in the bathtub and yells at midnight | Is {who}'s flat quiet at night?
      a pair of gerbils | rodents | they chewed through the charger
      a cockatiel | bird | it whistles the tune of the news
    `),
  },
  {
    name: 'dish',
    lead: [
      'I cooked {x} for the neighbours {when}.',
      'I tried a new recipe {when}: {x}.',
      'I served {x} {when}, all from scratch.',
    ],
    ask: ['How did it turn out?', 'Did they like the {k}?', 'What is the secret of the recipe?'],
    single: [
      'What went wrong when {who} prepared {y}?',
      'What did guests say about the {y} that {who} made?',
      "What is special about {who}'s recipe for {y}?",
    ],
    temporal: ['When did {who} make {y}?', 'On which day did {who} cook {y}?'],
    multi: ['What meals has {who} cooked?', 'Which recipes did {who} try?'],
    caption: 'a large pot on a wooden table',
    things: things(`
      a saffron risotto | rice | I stirred in the butter too early and it went gluey
      smoked trout pie | fish pastry | the crust split but nobody left a crumb | Does {who} eat fish?
      beetroot dumplings | dumplings | everyone had pink fingers afterwards
      a walnut loaf | bread | I let the dough rest for two nights
      chilli chocolate stew | a spicy stew | my uncle drank a litre of milk | Does {who} like hot food?
      pickled plums | preserved fruit | the lids popped off in the cellar
      an onion tart | a savoury cake | I cried through nine onions with swimming goggles on
    `),
  },
  {
    name: 'purchase',
    lead: [
      'I gave in and bought {x} {when}.',
      'Found {x} at a yard sale {when}.',
      '{when} the courier brought {x} that I had ordered.',
    ],
    ask: ['What on earth did you buy it for?', 'Was the {k} a bargain?', 'Does the {k} work?'],
    single: [
      'How much did {who} pay for the {y}, or why was it bought?',
      'What was the reason for purchasing the {y} for {who}?',
      'What is the state of the {y} that {who} got?',
    ],
    temporal: ['When did {who} purchase the {y}?', 'When was the {y} acquired by {who}?'],
    multi: ['What things has {who} bought?', 'Which purchases did {who} mention?'],
    caption: 'a cardboard box that has been torn open',
    things: things(`
      a folding canoe | boat | it was cheaper than the bus pass I never use | Does {who} live near water?
      a brass telescope | stargazing instrument | one lens is scratched but the moon looks enormous
      an electric cargo bike | bicycle | I wanted to stop driving to the nursery | Has {who} got small children?
      a loom | weaving frame | my grandmother had the same one
      a second-hand typewriter | writing machine | the letter Q is missing
      a standing desk | table | my back gave me no choice
      a tin of army paint | green paint | the shed will look like a tank
      a film camera | camera | the shutter sticks in the cold
    `),
  },
  {
    name: 'health',
    lead: [
      'My health is not the best, I {x} {when}.',
      'I {x} {when}, so typing is slow today.',
      'Sorry for the silence, {when} I {x}.',
    ],
    ask: ['Oh no! What did the doctor say?', 'Ouch. Are you all right?', 'Poor you. How long will it take?'],
    single: [
      "What advice did the physician give after {who}'s {y}?",
      'What helped {who} recover from the {y}?',
      'How long does the {y} keep {who} from normal life?',
    ],
    temporal: ['When did {who} suffer the {y}?', 'When did the {y} happen to {who}?'],
    multi: ['Which injuries or illnesses did {who} have?', 'What health problems has {who} had?'],
    caption: 'a bandage and a glass of water',
    things: things(`
      sprained my ankle on the stairs | sprained ankle; twisted foot | six weeks without running and an ugly boot | Will {who} take part in a race soon?
      caught a nasty chest infection | chest infection; lung illness | tablets at breakfast and no cold drinks
      burned my palm on the oven | burned palm; accident in the kitchen | aloe and patience, she told me
      chipped a tooth on an olive stone | chipped tooth; dental trouble | the crown costs more than my fridge
      got stung by a wasp at work | wasp sting; insect bite | my whole arm swelled like a pillow
      pulled a muscle in my back | pulled back muscle; backache | lying on the floor with my legs on a chair
    `),
  },
  {
    name: 'work',
    lead: [
      'Work news: {when} I {x}.',
      'They called me in {when}, and now I {x}.',
      'My career took a turn: I {x} {when}!',
    ],
    ask: ['Congratulations? Or not?', 'How do you feel about that?', 'What changes for you?'],
    single: [
      'How does {who} feel about the {y}?',
      'What changed for {who} because of the {y}?',
      'What did {who} say about the {y} at the company?',
    ],
    temporal: ['When did the {y} of {who} take place?', 'When did {who} report the {y}?'],
    multi: ['What changes happened in the career of {who}?', 'Which professional steps did {who} take?'],
    caption: 'an empty office with boxes on the desks',
    things: things(`
      was promoted to shift leader | promotion to shift leader; rise to team head | I get keys to the roof and twice the paperwork
      handed in my notice | notice that was handed in; resignation | I slept eleven hours the night after | Was {who} content with the employer?
      moved to the harbour office | move to the harbour office; relocation | gulls scream through every meeting
      was asked to train the apprentices | training of apprentices; teaching job | they ask better questions than I do | Is {who} patient with beginners?
      won the contract with the brewery | contract with the brewery; new customer | they pay us partly in barrels
      got put on night duty | night duty; late shift | I eat pancakes at six and call it dinner
    `),
  },
  {
    name: 'book',
    lead: [
      'I read {x} in one go {when}.',
      'Finished {x} {when}, could not put it down.',
      'I read a whole book {when}: {x}.',
    ],
    ask: ['Worth reading?', 'What is {k} about?', 'Should I borrow {k}?'],
    single: [
      'What does {who} think of {y}?',
      'What is the plot of {y} that {who} was reading?',
      'Why would {who} recommend {y}?',
    ],
    temporal: ['When did {who} read {y}?', 'When was {who} reading {y}?'],
    multi: ['Which books has {who} read?', 'What has {who} been reading?'],
    caption: 'a paperback lying open on its face',
    things: things(`
      "The Clockmaker's Debt" | the novel on the clockmaker | a watch that runs backwards ruins three families
      "Salt and Iron" | Salt and Iron | the sea chapters are the best writing I know
      a history of bridges | the non-fiction work on bridges | half of them were built by people who could not swim | Is {who} interested in engineering?
      "Nine Winters" | Nine Winters | the last page made me phone my sister
      a thick guide to mosses | the plant handbook | there are forty kinds on my street alone
      a detective story set on a ferry | the crime novel | the cook did it, and the ship knew
    `),
  },
  {
    name: 'garden',
    lead: [
      'I planted {x} {when}.',
      'Mud everywhere: {when} I put {x} in the ground.',
      'My garden grows. I set {x} {when}.',
    ],
    ask: ['Will they grow there?', 'Green fingers! How are the {k} doing?', 'What made you choose those?'],
    single: [
      'How are the {y} that {who} planted growing?',
      'What threatened the {y} of {who}?',
      'Why did {who} choose to grow {y}?',
    ],
    temporal: ['When did {who} plant the {y}?', 'When were the {y} put in by {who}?'],
    multi: ['What does {who} grow?', 'Which plants are in the garden of {who}?'],
    caption: 'seedlings in egg boxes',
    things: things(`
      runner beans | beans | slugs ate the first row in a night
      a fig sapling | tree | it reminds me of the courtyard at school
      dwarf sunflowers | flowers | they all face the neighbour, who is delighted
      purple potatoes | vegetables | the peel dyes your hands | Does {who} grow food at home?
      climbing roses | thorny bushes | the gas meter has vanished behind them
      lemon thyme | herbs | the bees found it before I had watered it
    `),
  },
  {
    name: 'repair',
    lead: [
      'I repaired {x} {when}, believe it or not.',
      'Spent half a day fixing {x} {when}.',
      'I mended {x} {when}, it had been broken for weeks.',
    ],
    ask: ['How did you manage that?', 'What was broken in the {k}?', 'Impressive. How do you fix a {k}?'],
    single: [
      'How did {who} mend the {y}?',
      'What had broken in the {y} of {who}?',
      "What was needed for fixing {who}'s {y}?",
    ],
    temporal: ['When did {who} mend the {y}?', 'When was the {y} of {who} working again?'],
    multi: ['What has {who} repaired?', 'Which broken things did {who} mend?'],
    caption: 'screws sorted in a muffin tin',
    things: things(`
      the washing machine | laundry machine | a coin had wedged itself under the drum | Is {who} handy with tools?
      the attic window | roof window | I cut a new frame out of an old bed
      my moped | scooter | the spark plug was as black as liquorice
      the kitchen radio | radio | one drop of solder, and it sings again
      the garden gate | gate | new hinges, and a dog that finally stays in
      grandpa's wall clock | clock | dust on the pendulum, nothing else
    `),
  },
  {
    name: 'outing',
    lead: ['{when} a friend dragged me to {x}.', 'I attended {x} {when}!', 'We had tickets for {x} {when}.'],
    ask: ['Any highlights?', 'What was the {k} like?', 'Would you go to {k} again?'],
    single: [
      'What impressed {who} at the {y}?',
      'What did {who} experience during the {y}?',
      'What surprised {who} while attending the {y}?',
    ],
    temporal: ['When did {who} attend the {y}?', 'When was {who} at the {y}?'],
    multi: ['Which events has {who} attended?', 'What shows or events did {who} go to?'],
    caption: 'a crowd under coloured lamps',
    things: things(`
      an open-air opera | music theatre | it rained and the tenor sang under an umbrella | Does {who} like classical music?
      the kite festival | kites | a dragon of forty metres broke loose
      a juggling contest | jugglers' competition | a boy of nine beat them all
      a silent film night | old cinema evening | the pianist improvised for two hours
      the harbour regatta | boat race | our team came in last and got the loudest cheer
      a robot exhibition | machine show | one of them poured me tea and apologised | Is {who} curious about technology?
    `),
  },
  {
    name: 'family',
    lead: [
      'Family update: {when} {x}.',
      '{when} {x}, and I still cannot quite grasp it.',
      'Did I tell you? {x}, it was {when}.',
    ],
    ask: ['How is everybody taking it?', 'Wonderful! Details, please.', 'What happened then?'],
    single: [
      'What did {who} say about {y}?',
      "How did {who}'s relatives react to {y}?",
      'What detail of {y} did {who} share?',
    ],
    temporal: ['When was {y} in the family of {who}?', 'On which date did {who} learn about {y}?'],
    multi: ['What happened in the family of {who}?', 'Which events did the relatives of {who} go through?'],
    caption: 'a long table with many chairs',
    things: things(`
      my sister had twins | the birth of the twins; the arrival of the babies | one is bald and the other looks like a hedgehog | Is {who} an aunt or an uncle?
      my parents sold the farm | the selling of the farm; the end of farming | father kept only the tractor key
      my cousin got engaged | the engagement of the cousin; the proposal of marriage | he hid the ring in a cheese
      grandma turned ninety | grandma turning ninety; the birthday of the oldest | she danced until the band was tired
      my brother passed his pilot exam | the pilot exam; the flying licence | he wants to land on our meadow
      my niece moved to Lisbon | the niece moving to Lisbon; a relative going abroad | she left me her piano and her debts | Does {who} have relatives in another country?
    `),
  },
];

export const ENGLISH = {
  language: 'en',
  pairs: [
    ['Ruth', 'Owen'],
    ['Pilar', 'Casper'],
    ['Nadia', 'Felix'],
    ['Imke', 'Bram'],
  ],
  kinds: KINDS,
  when: [
    'yesterday',
    'last weekend',
    'on Tuesday',
    'two days ago',
    'last night',
    'the day before yesterday',
    'on Friday',
  ],
  greet: [
    'Hi {other}! How are things?',
    'Hey {other}, long time!',
    'Good to hear from you, {other}.',
    'Hello {other}, are you free to talk?',
  ],
  greetBack: [
    'Hey {other}! Busy as ever, and you?',
    'Hi! All fine here, what is new?',
    'Nice to see your name pop up. How was the week?',
  ],
  reply: [
    'Ha, I can picture that.',
    'That sounds like you.',
    'Really? I would never have guessed.',
    'Good for you, honestly.',
    'You always have stories like that.',
    'Oh, I want to hear everything when we meet.',
  ],
  /** About something told earlier, with nothing new in it. */
  mention: [
    ['Any news about {k}?', 'Not much, same as before. I will let you know.'],
    ['I told my neighbour what you said the other day.', 'Ha, I hope they laughed.'],
    ['I keep thinking of {y}.', 'Me too, funny how such things stay with you.'],
    ['Somebody at the bakery talked about {k} and I thought of you, {other}.', 'That is sweet. Small world!'],
  ],
  filler: [
    'The weather here cannot make up its mind.',
    'I have to get the groceries before six.',
    'My phone is at nine percent, just so you know.',
    'The bus was late again, so I walked.',
    'Did you sleep at all this week?',
    'I should clean the windows, but look at that sky.',
    'There is a new bakery at the corner, dangerous.',
    'We should really meet when the days get longer.',
    'I am so tired of meetings that could be a note.',
    'My neighbour plays the drums now. Send help.',
    'Have you seen what petrol costs?',
    'I watched something dull last night and fell asleep.',
    'Every time I plan a quiet day, somebody calls.',
    'The heating makes that noise again.',
    'I found your old postcard in a book.',
    'My boots leak and I am too stubborn to buy others.',
    'Are you still drinking that terrible tea?',
    'I counted four siren sounds during lunch.',
    'At the library they asked about you.',
    'I need a holiday from my holiday.',
  ],
  bye: ['I have to run. Talk soon!', 'Take care, {other}.', 'Let us speak again next week.', 'Good night, {other}!'],
  order: ['What came first for {who}: {y} or {z}?', 'Did {who} talk about {y} before or after {z}?'],
  onDate: ['What did {who} do around {date}?', 'What did {who} tell about {date}?'],
  date: (at) => `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`,
};

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
