// swift-format-ignore-file
// Made by Tools/make-snapshot.

/// Permanent data of characters, without images: one record per line, fields in the order of the dataset's columns.
let characterFacts: StaticString = """
    1\tWalter White\tWalter Hartwell White Sr.\t~\t[Walt|Heisenberg|Mr. White|Mr. W|Walt Jackson|Mr. Mayhew|The Maestro|Grandpa Anus|Nick the Greek|Mr. Lambert\t1958-09-07\t[Co-Founder of Gray Matter Technologies|Chemistry Teacher at J. P. Wynne High School|Car Wash Attendant at A1A Car Wash|Crystal Meth Manufacturer|Meth Kingpin|Owner of A1A Car Wash\t~\tdead\tBryan Cranston\t[Breaking Bad|Better Call Saul|El Camino\t[1|2|3|4|5\t[6\ttrue
    2\tJesse Pinkman\tJesse Bruce Pinkman\t~\t[Cap'n Cook|Diesel|Captain America|Jesse Jackson|Mr. Driscoll|Igor\t1984-09-24\t[Meth Dealer\t~\talive\tAaron Paul\t[Breaking Bad|Better Call Saul|El Camino\t[1|2|3|4|5\t[6\ttrue
    3\tSkyler White\tSkyler White\t~\t[Sky|Yoko Ono\t1970-08-11\t[Writer|Housewife|Book Keeper at Beneke Fabricators|Car Wash Manager at A1A Car Wash|Taxi Dispatcher\t~\talive\tAnna Gunn\t[Breaking Bad\t[1|2|3|4|5\t[\tfalse
    4\tWalter Jr.\tWalter Hartwell White Jr.\t~\t[Walt Jr.|Flynn|Junior|Emo McGee\t1993-07-08\t[Student at J. P. Wynne High School|Cashier at A1A Car Wash\t~\talive\tRJ Mitte\t[Breaking Bad\t[1|2|3|4|5\t[\tfalse
    5\tHank Schrader\tHenry R. Schrader\t~\t[Uncle Hank|ASAC Schrader\t1966-03\t[DEA Agent\t~\tdead\tDean Norris\t[Breaking Bad|Better Call Saul\t[1|2|3|4|5\t[5\tfalse
    6\tMarie Schrader\tMarie Schrader\t~\t[Tori Costner|Charlotte Blattner|Mimi\t1973\t[Radiologic Technician at Kleinman Radiology Center\t~\talive\tBetsy Brandt\t[Breaking Bad|Better Call Saul\t[1|2|3|4|5\t[6\tfalse
    7\tMike Ehrmantraut\tMichael Ehrmantraut\t~\t[Uncle Fester|Billy Jackoff|Pop Pop|Dave Clarke|Barry Hedberg|Duane\t~\t[Police Officer|Ticket Booth Guard|Private Investigator|Head of Corporate Security at Los Pollos Hermanos|Hitman\t~\tdead\tJonathan Banks\t[Breaking Bad|Better Call Saul|El Camino\t[2|3|4|5\t[1|2|3|4|5|6\ttrue
    20\tSteve Gomez\tSteven Gomez\t~\t[Gomie|Gom\t1971\t[DEA Agent\t~\tdead\tSteven Michael Quezada\t[Breaking Bad|Better Call Saul\t[1|2|3|4|5\t[5\tfalse
    25\tCarmen\tCarmen Molina\t~\t[\t~\t[Principal at J. P. Wynne High School\t~\talive\tCarmen Serano\t[Breaking Bad\t[1|2|3|5\t[\tfalse
    26\tGretchen Schwartz\tGretchen Schwartz\t~\t[\t1958\t[Co-owner of Gray Matter\t~\talive\tJessica Hecht\t[Breaking Bad\t[1|2|5\t[\tfalse
    33\tKrazy-8\tDomingo Gallardo Molina\t~\t[Ocho Loco|Kraze|Sunday\t1971\t[Employee at Tampico Furniture|Crystal Meth Distributor|DEA Informant\t~\tdead\tMaximino Arciniega\t[Breaking Bad|Better Call Saul\t[1\t[2|3|4|5\tfalse
    34\tEmilio\tEmilio Koyama\t~\t[\t~\t[Crystal Meth Manufacturer|Low-Level Meth Distributor\t~\tdead\tJohn Koyama\t[Breaking Bad|Better Call Saul\t[1\t[6\tfalse
    36\tWendy\tWendy S.\t~\t[Meth Whore|Princess\t~\t[Prostitute\t~\talive\tJulia Minesci\t[Breaking Bad|Better Call Saul\t[1|2|3\t[6\tfalse
    37\tBogdan\tBogdan Wolynetz\t~\t[Eyebrows\t~\t[Owner of A1A Car Wash\t~\talive\tMarius Stan\t[Breaking Bad\t[1|3|4\t[\tfalse
    38\tChad\tChad\t~\t[\t~\t[Student at J. P. Wynne High School\t~\talive\tEvan Bobrick\t[Breaking Bad\t[1\t[\tfalse
    39\tChad's Girlfriend\tChad's Girlfriend\t~\t[\t~\t[Student at J. P. Wynne High School\t~\talive\tRoberta Marquez\t[Breaking Bad\t[1\t[\tfalse
    40\tBen\tBen\t~\t[\t~\t[Student at J. P. Wynne High School\t~\talive\tJason Byrd\t[Breaking Bad\t[1|4\t[\tfalse
    41\tE.M.T.\tE.M.T.\t~\t[\t~\t[E.M.T.|Hospital Technician|E.R. Doctor #1\t~\talive\tChristopher Dempsey\t[Breaking Bad\t[1|2|3\t[\tfalse
    42\tDr. Belknap\tDr. Belknap\t~\t[\t~\t[Doctor\t~\talive\tGregory Chase\t[Breaking Bad\t[1\t[\tfalse
    43\tJock\tJock\t~\t[\t~\t[Student\t~\talive\tAaron Hill\t[Breaking Bad\t[1\t[\tfalse
    110\tSaul Goodman\tSaul Goodman\t~\t[McGill|The Lawyer|The Guy\t1960-11-12\t[Criminal Lawyer|Money Launderer\t~\talive\tBob Odenkirk\t[Breaking Bad|Better Call Saul\t[2|3|4|5\t[1|2|3|4|5|6\tfalse
    111\tJimmy McGill\tJames Morgan McGill\t~\t[Slippin' Jimmy|Saul Goodman|Gene Takavic|The Lawyer|The Guy|The Magic Man\t1960-11-12\t[Con Artist|Mailroom Clerk at Hamlin, Hamlin, & McGill|Public Defense Attorney|Independent Elder Law Attorney\t~\talive\tBob Odenkirk\t[Breaking Bad|Better Call Saul\t[2|3|4|5\t[1|2|3|4|5|6\tfalse
    112\tKim Wexler\tKimberly Wexler\t~\t[Kimmy|Mrs. Wexler|Giselle St. Clair|Mrs. Goodman|Lizy|Güera|Slippin' Kimmy\t1968-02-13\t[Mailroom Clerk at Hamlin, Hamlin, & McGill|Lawyer at Hamlin, Hamlin, & McGill|Lawyer at Wexler & McGill|Designer at Palm Coast Sprinkler\t~\talive\tRhea Seehorn\t[Better Call Saul\t[\t[1|2|3|4|5|6\tfalse
    113\tHoward Hamlin\tHoward G. Hamlin\t~\t[Howie|Darth Vader|Lord Vader|Mr. Ward|H.O. Ward|Max Schmeling\t1960\t[Corporate Lawyer|Partner at Hamlin, Hamlin, & McGill|Owner and CEO of Hamlin, Hamlin, & McGill\t~\tdead\tPatrick Fabian\t[Better Call Saul\t[\t[1|2|3|4|5|6\tfalse
    114\tChuck McGill\tCharles Lindbergh McGill Jr.\t~\t[\t~\t[Lawyer|Partner at Hamlin, Hamlin, & McGill\t~\tdead\tMichael McKean\t[Better Call Saul\t[\t[1|2|3|4|6\tfalse
    115\tNacho Varga\tIgnacio Varga\t~\t[Nachito|Martin Cavallo\t1971-12-09\t[Employee at A-Z Fine Upholstery|Tuco's Lieutenant|Hector's Lieutenant|Lalo's Lieutenant|Gus's Informant\t~\tdead\tMichael Mano\t[Better Call Saul\t[\t[1|2|3|4|5|6\tfalse
    116\tSkinny Pete\tPeter\t~\t[Skinny Pete|Pete|Skin|Skinny\t1980\t[Low-Level Meth Distributor\t~\talive\tCharles Baker\t[Breaking Bad|El Camino\t[1|2|3|4|5\t[\ttrue
    117\tBadger\tBrandon Mayhew\t~\t[Badger|Beaver|Badger Mayhew\t1984\t[Part-time Walking Billboard|Low-Level Meth Distributor\t~\talive\tMatt Jones\t[Breaking Bad|El Camino\t[1|2|3|4|5\t[\ttrue
    118\tJoe\tJoe\t~\t[Old Joe\t~\t[Junkyard Owner\t~\talive\tLarry Hankin\t[Breaking Bad|El Camino\t[3|5\t[\ttrue
    """
