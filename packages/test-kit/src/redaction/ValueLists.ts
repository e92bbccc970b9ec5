import type { Random } from "./Random.js"

export type Part = "fit" | "measure"

export const list = (text: string): ReadonlyArray<string> => text.split(",").map((one) => one.trim())

/** Names, places and words, kept apart for fitting and measuring. */
const lists: Readonly<Record<Part, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  fit: {
    first: list(
      "James, Mary, Robert, Patricia, John, Jennifer, Michael, Linda, David, Elizabeth, William, Barbara, Richard, Susan, Joseph, Jessica, Thomas, Sarah, Carlos, Maria, Ahmed, Fatima, Wei, Priya, Olga, Pierre, Ingrid, Kenji, Chidi, Amara, Diego, Lucia, Ravi, Anita, Sven, Mei, Tyrone, Latoya, Brandon, Ashley, Kevin, Megan, Tyler, Kayla, Omar, Leila, Ivan, Natasha, Jorge, Carmen, Rose, Mark, Grace, Will"
    ),
    last: list(
      "Smith, Johnson, Williams, Brown, Jones, Garcia, Miller, Davis, Rodriguez, Martinez, Hernandez, Lopez, Gonzalez, Wilson, Anderson, Thomas, Taylor, Moore, Jackson, Martin, Lee, Perez, Thompson, White, Harris, Nguyen, Patel, Kim, Chen, Singh, Kowalski, Schmidt, Rossi, Dubois, Tanaka, Okafor, Hassan, Petrov, Larsen, Costa, O'Brien, McCarthy, Fischer, Novak, Haddad, Yamamoto, Andersson"
    ),
    city: list(
      "Chicago, Houston, Phoenix, Denver, Boston, Seattle, Dallas, Austin, Portland, Miami, Atlanta, Detroit, Toronto, London, Paris, Berlin, Madrid, Sydney, Mumbai, Lagos, Cairo, Tokyo, Lima, Cleveland, Omaha, Tulsa, Fresno, Tampa"
    ),
    street: list(
      "Main, Oak, Maple, Elm, Washington, Lincoln, Cedar, Park, Hill, Lake, Sunset, Franklin, Highland, River, Jefferson, Church"
    ),
    streetEnd: list("Street, Avenue, Road, Drive, Lane, Boulevard, Court"),
    state: list("Texas, California, Ohio, Florida, Illinois, Georgia, Oregon, Nevada"),
    job: list(
      "nurse, teacher, plumber, accountant, software engineer, truck driver, electrician, chef, lawyer, graphic designer, pharmacist, bartender, carpenter, bus driver, project manager"
    ),
    event: list(
      "Thanksgiving, Christmas, the Super Bowl, Halloween, Easter, Hanukkah, the Boston Marathon, Diwali, Labor Day"
    ),
    origin: list(
      "Mexican, Canadian, Nigerian, German, Chinese, Irish, Brazilian, Korean, Indian, Hispanic, African American"
    ),
    gender: list("female, male, transgender, gay, bisexual, nonbinary, lesbian"),
    body: list(
      "brown hair, blue eyes, five foot ten, a scar on my left arm, a tattoo on my shoulder, bald, a hundred and eighty pounds, blond hair"
    ),
    password: list("sunflower seven, tiger blue 42, hunter2, mountain bike, purple monkey, pass1234"),
    secret: list("Fluffy, Kowalski, Rover, Lincoln Elementary, Buster, pizza"),
    user: list("john_smith, mary.jones88, coolcat99, techguy, sunny_day, r_patel, jsmith42"),
    domain: list("gmail.com, yahoo.com, outlook.com, example.org, acme.net, company.co.uk"),
    site: list("www.example.com, acme.org/login, shop.mystore.com, mybank.net"),
    file: list("report.pdf, budget_2023.xlsx, resume.docx, scan.jpg, notes.txt")
  },
  measure: {
    first: list(
      "Daniel, Karen, Matthew, Nancy, Anthony, Betty, Donald, Margaret, Steven, Sandra, Paul, Kimberly, Andrew, Emily, Joshua, Donna, Kenneth, Michelle, Yusuf, Aisha, Hiroshi, Sakura, Giovanni, Chiara, Lars, Freya, Kwame, Zainab, Mateo, Valentina, Arjun, Deepika, Pavel, Svetlana, Jamal, Keisha, Cody, Brittany, Trevor, Hannah, Felix, Beatriz, Hugo, Noor, Faith, Dean, Summer"
    ),
    last: list(
      "Clark, Lewis, Robinson, Walker, Young, Allen, King, Wright, Scott, Torres, Hill, Flores, Green, Adams, Nelson, Baker, Hall, Rivera, Campbell, Mitchell, Carter, Roberts, Gomez, Phillips, Evans, Turner, Diaz, Parker, Cruz, Edwards, Kaur, Ali, Wang, Ito, Mensah, Ivanova, Moretti, Lindqvist, Fernandes, O'Connor, Delgado, Becker, Horvat, Nakamura"
    ),
    city: list(
      "Philadelphia, San Antonio, San Diego, Jacksonville, Columbus, Charlotte, Indianapolis, Nashville, Memphis, Baltimore, Milwaukee, Albuquerque, Sacramento, Kansas City, Raleigh, Dublin, Rome, Vienna, Melbourne, Nairobi, Delhi, Osaka, Bogota, Spokane, Boise, Des Moines"
    ),
    street: list(
      "Walnut, Chestnut, Spruce, Willow, Madison, Adams, Spring, Mill, Ridge, Meadow, Forest, Prospect, Center, Dogwood, Magnolia"
    ),
    streetEnd: list("Street, Avenue, Road, Drive, Lane, Way, Circle, Place"),
    state: list("Michigan, Virginia, Colorado, Arizona, Tennessee, Minnesota, North Carolina, New Jersey"),
    job: list(
      "dentist, firefighter, librarian, welder, architect, receptionist, mechanic, paralegal, data analyst, photographer, hairdresser, social worker, flight attendant, civil engineer, real estate agent"
    ),
    event: list(
      "New Year's Eve, Passover, the World Cup, Memorial Day, Ramadan, Valentine's Day, the Olympics, Mardi Gras, Independence Day"
    ),
    origin: list(
      "Italian, Pakistani, Jamaican, Polish, Vietnamese, Scottish, Colombian, Filipino, Ethiopian, Asian American, Latina"
    ),
    gender: list("heterosexual, pansexual, non-binary, a trans man, queer, asexual, female"),
    body: list(
      "green eyes, red hair, six feet tall, a birthmark on my neck, a rose tattoo on my wrist, six foot two, gray hair, two hundred and ten pounds"
    ),
    password: list("dragon fire nine, winter2024, blue elephant, Xy7kLm92, banana split, correct horse"),
    secret: list("Whiskers, Pemberton, Max, Jefferson High, Duke, lasagna"),
    user: list("karen_w, mattgreen77, skywalker21, bookworm, d.torres, nightowl_3, pwalker"),
    domain: list("hotmail.com, icloud.com, aol.com, university.edu, startup.io, firm.org"),
    site: list("www.citybank.org, portal.healthnet.com, gardenshop.net/orders, mytickets.co"),
    file: list("invoice_march.pdf, photo1.png, contract.docx, data.csv, minutes.txt")
  }
}

export const word = (random: Random, part: Part, name: string): string => random.pick(lists[part][name] ?? [""])
