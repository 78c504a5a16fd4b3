"""The schema.org types whose things make a page a record."""

from __future__ import annotations

# Not WebPage, Article, NewsArticle, BlogPosting and Organization: content management systems put those into
# every page. They still describe a page that is a record for another reason.
COURSES = frozenset(
    ("Course", "CourseInstance", "EducationalOccupationalProgram", "LearningResource", "Syllabus")
)
ARTICLES = frozenset(("ScholarlyArticle", "MedicalScholarlyArticle", "Report", "Chapter", "PublicationIssue"))
THESES = frozenset(("Thesis",))
BOOKS = frozenset(("Book",))
DATASETS = frozenset(("Dataset", "DataCatalog", "SoftwareSourceCode"))
_EVENTS = """
Event BusinessEvent ChildrensEvent ComedyEvent ConferenceEvent DanceEvent EducationEvent
ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent PublicationEvent
ScreeningEvent SocialEvent SportsEvent TheaterEvent VisualArtsEvent
"""
EVENTS = frozenset(_EVENTS.split())
KNOWN_TYPES = COURSES | ARTICLES | THESES | BOOKS | DATASETS | EVENTS
