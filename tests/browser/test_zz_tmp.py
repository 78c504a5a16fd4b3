from tests.browser.conftest import Open
def test_a(look: Open) -> None:
    v = look(); v.go("/about"); v.page.evaluate("alert('x')")
def test_b(look: Open) -> None:
    v = look(); assert v.page.url == "about:blank"; v.go("/about"); v.page.context.add_cookies([{"name": "a", "value": "b", "url": v.site}]); v.page.set_viewport_size({"width": 300, "height": 300})
def test_c(look: Open) -> None:
    v = look(); assert v.page.url == "about:blank"; assert v.page.context.cookies() == []; assert v.page.viewport_size == {"width": 1280, "height": 900}; assert len(v.page.context.browser.contexts) == 1
